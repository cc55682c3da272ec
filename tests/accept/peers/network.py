"""PyTorch's networks with the weights of ours."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.utils import vector_to_parameters

# Both peers make some of their tensors of numbers in the default precision.
torch.set_default_dtype(torch.float64)


def network(widths: list[int], weights: list[float]) -> nn.Sequential:
    """tanh between dense layers, at `weights` (parameters_to_vector)."""
    layers: list[nn.Module] = []
    for inputs, outputs in zip(widths, widths[1:]):
        if layers:
            layers.append(nn.Tanh())
        layers.append(nn.Linear(inputs, outputs))
    model = nn.Sequential(*layers)
    vector_to_parameters(torch.tensor(weights), model.parameters())
    return model
