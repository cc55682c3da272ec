#include "server/web/room.h"

#include <gtest/gtest.h>

#include <vector>

namespace prequel::room_test {
namespace {

class RoomTest : public ::testing::Test {
 protected:
  // A place that costs nobody theirs.
  Room::Place Enters(const std::string& host) {
    const std::optional<Room::Entry> entry = room_.Enter(host);
    EXPECT_TRUE(entry && !entry->leaves) << host;
    return entry ? entry->place : 0;
  }
  std::vector<Room::Place> Enter(const std::string& host, int count) {
    std::vector<Room::Place> places;
    for (int i = 0; i < count; ++i) places.push_back(Enters(host));
    return places;
  }
  // And is being answered.
  std::vector<Room::Place> Busy(const std::string& host, int count) {
    const std::vector<Room::Place> places = Enter(host, count);
    for (const Room::Place place : places) room_.SetAnswering(place, true);
    return places;
  }
  // Whose place another of `host` takes.
  Room::Place Displaced(const std::string& host) {
    const std::optional<Room::Entry> entry = room_.Enter(host);
    EXPECT_TRUE(entry && entry->leaves) << host;
    return entry ? entry->leaves.value_or(-1) : -1;
  }

  Room room_{6, 4};
};

TEST_F(RoomTest, WhoeverHasTheMostMakesRoom) {
  Enters("few");
  const std::vector<Room::Place> many = Enter("many", 4);
  Enters("few");
  EXPECT_EQ(Displaced("new"), many[0]);
  EXPECT_EQ(Displaced("new"), many[1]);
  EXPECT_EQ(Displaced("many"), many[2]) << "all have two: its own";
}

// Where those who have many are answered, whoever has one keeps it for as long as there are many.
TEST_F(RoomTest, WhoHasOneIsSparedWhereOthersHaveMore) {
  const std::vector<Room::Place> busy = Busy("a", 4);
  Busy("b", 2);
  EXPECT_EQ(Displaced("honest"), busy[0]);
  EXPECT_EQ(Displaced("another"), busy[1]) << "and not the one of the honest, though it waits";
}

TEST_F(RoomTest, OneHostHasItsShare) {
  const std::vector<Room::Place> many = Enter("many", 4);
  EXPECT_EQ(Displaced("many"), many[0]);
  EXPECT_EQ(Displaced("many"), many[1]);
  Enter("few", 2);
}

TEST_F(RoomTest, WhereEachHasOneItIsTheOneThatHasWaitedTheLongest) {
  std::vector<Room::Place> places;
  for (const char* host : {"a", "b", "c", "d", "e", "f"}) places.push_back(Enters(host));
  room_.SetAnswering(places[0], true);
  room_.SetAnswering(places[0], false);
  EXPECT_EQ(Displaced("g"), places[1]);
}

TEST_F(RoomTest, WhatIsBeingAnsweredIsSpared) {
  const std::vector<Room::Place> many = Enter("many", 4);
  const Room::Place few = Enters("few");
  Enters("new");
  for (int i = 0; i < 4; ++i) room_.SetAnswering(many[i], i != 2);
  EXPECT_EQ(Displaced("new"), many[2]);
  EXPECT_EQ(Displaced("another"), few + 1) << "of those that wait, of the host that has two";
}

TEST_F(RoomTest, AHostWhoseConnectionsAreAllBeingAnsweredKeepsItsShare) {
  Busy("some", 2);
  const std::vector<Room::Place> many = Busy("many", 4);
  EXPECT_FALSE(room_.Enter("many")) << "nothing of its own waits";
  for (const Room::Place place : {many[0], many[1]}) {
    const std::optional<Room::Entry> entry = room_.Enter("new");
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry->leaves, place);
    room_.SetAnswering(entry->place, true);
  }
  EXPECT_FALSE(room_.Enter("new")) << "all have two";
  EXPECT_FALSE(room_.Enter("many"));
}

TEST_F(RoomTest, OneThatWaitsTakesNoSecondPlaceOfThoseThatAreAnswered) {
  Busy("some", 2);
  const std::vector<Room::Place> many = Busy("many", 4);
  EXPECT_EQ(Displaced("new"), many[0]);
  EXPECT_EQ(Displaced("new"), many[3] + 1) << "its own";
}

TEST_F(RoomTest, APlaceThatIsLeftIsFree) {
  const std::vector<Room::Place> many = Enter("many", 4);
  room_.Leave(many[1]);
  room_.Leave(many[1]);
  Enters("many");
  EXPECT_EQ(Displaced("many"), many[0]);
  room_.Leave(many[0]);  // had to go already
  room_.SetAnswering(many[0], true);
  Enter("few", 2);
}

}  // namespace
}  // namespace prequel::room_test
