"""What is said on a learning stream, with no server."""

import numpy as np
import pytest

from prequel import errors, v1
from prequel.data.minibatch import Minibatch
from prequel.learning.backoff import Backoff
from prequel.learning.conversation import Conversation, Lost


def minibatch(value=0.0):
    return Minibatch(1, np.array([[value]]), targets=np.array([value]))


def resume(index, due):
    return v1.LearnStreamResponse(index=index, resume=v1.Resume(next_sequence=due))


def learned(index, revision):
    return v1.LearnStreamResponse(index=index, learned=v1.LearnResponse(revision=revision))


def refused(index, code, reason=""):
    status = v1.Status(code=code, message="no")
    if reason:
        status.details.add().Pack(v1.ErrorInfo(reason=reason))
    return v1.LearnStreamResponse(index=index, error=status)


def sequence_of(request):
    return v1.LearnStreamRequest.FromString(request).sequence


@pytest.fixture
def talk():
    made = Conversation("models/m", "p", max_in_flight=2, retry=60)
    made.hello()
    return made


def test_goes_on_where_the_producer_was(talk):
    assert v1.LearnStreamRequest.FromString(talk.hello()).producer == "p"
    assert not talk.known
    assert not talk.has_room
    assert talk.take(resume(0, 41), "s") is None
    assert talk.next_sequence == 41
    assert sequence_of(talk.add(minibatch())) == 41
    assert sequence_of(talk.add(minibatch())) == 42
    assert not talk.has_room
    ack = talk.take(learned(1, 7), "s")
    assert (ack.index, ack.sequence, ack.revision, ack.error) == (0, 41, 7, None)
    assert talk.has_room


def test_what_is_unanswered_is_said_again(talk):
    talk.take(resume(0, 1), "s")
    requests = [talk.add(minibatch(i)) for i in range(2)]
    talk.take(learned(1, 1), "s")
    talk.hello()
    assert not talk.resumed
    talk.take(resume(0, 3), "s")  # the server has both, and the second answer was lost
    assert list(talk.unsaid()) == requests[1:]
    assert talk.take(learned(1, 2), "s").sequence == 2


def test_a_refusal_uses_up_its_number(talk):
    talk.take(resume(0, 1), "s")
    talk.add(minibatch())
    ack = talk.take(refused(1, 3), "s")
    assert isinstance(ack.error, errors.InvalidArgument)
    assert talk.next_sequence == 2


@pytest.mark.parametrize("answer", [refused(1, 14), refused(1, 13, "OUTCOME_UNKNOWN")])
def test_what_is_lost_may_be_found_again(talk, answer):
    talk.take(resume(0, 1), "s")
    talk.add(minibatch())
    with pytest.raises(Lost) as lost:
        talk.take(answer, "s")
    assert talk.unanswered == 1
    assert 0.05 <= talk.pause(lost.value.error) <= 0.1


def test_a_server_never_reached_is_not_waited_for(talk):
    with pytest.raises(errors.Unavailable):
        talk.pause(errors.Unavailable("no answer"))
    with pytest.raises(errors.NotFound):
        talk.pause(errors.NotFound("no model"))


def test_answers_out_of_turn(talk):
    with pytest.raises(errors.Internal, match="answered request 1 where 0 was due"):
        talk.take(resume(1, 1), "s")
    talk.hello()
    talk.take(resume(0, 1), "s")
    with pytest.raises(errors.Internal):
        talk.take(learned(1, 1), "s")


def test_a_producer_that_is_forgotten_or_taken(talk):
    talk.take(resume(0, 5), "s")
    talk.add(minibatch())
    talk.take(learned(1, 1), "s")
    talk.hello()
    with pytest.raises(errors.FailedPrecondition, match="no longer knows this producer"):
        talk.take(resume(0, 1), "s")
    talk.hello()
    with pytest.raises(errors.Aborted, match="somebody else sends as producer p"):
        talk.take(resume(0, 9), "s")


def test_bad_options():
    with pytest.raises(errors.InvalidArgument, match="max_in_flight"):
        Conversation("m", "", 0, 1)
    with pytest.raises(errors.InvalidArgument, match="128 bytes"):
        Conversation("m", "ü" * 65, 1, 1)
    assert len(Conversation("m", "", 1, 1).producer) == 32


def test_backoff():
    now = [0.0]
    backoff = Backoff(10, clock=lambda: now[0])
    pauses = [backoff.next() for _ in range(8)]
    for pause, longest in zip(pauses, [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5]):
        assert longest / 2 <= pause <= longest
    now[0] = 10.0
    assert backoff.next() is None
    backoff.reset()
    assert backoff.next() <= 0.1
