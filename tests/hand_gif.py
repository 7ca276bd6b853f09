"""A hand as the environment renders it, an animated picture: python -m tests.hand_gif docs/hand.gif."""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

import agents
import ofc_env

SEED = 21
WIDTH = 480  # pixels
MILLISECONDS = 900  # a decision; the last one stays longer
COLOURS = 32


def frames(seed: int = SEED) -> list[Image.Image]:
    """The table before every decision of the champion's network in both seats, and at the end."""
    env = ofc_env.env(render_mode="rgb_array")
    env.reset(seed=seed)
    player = agents.make("alphazero:sims=0")
    pictures = []
    for _ in env.agent_iter():
        pictures.append(Image.fromarray(env.render()))
        observation, _, over, _, _ = env.last()
        if over or observation is None:
            break
        env.step(player.act(observation))
    height = round(WIDTH * pictures[0].height / pictures[0].width)
    small = [each.resize((WIDTH, height), Image.Resampling.LANCZOS) for each in pictures]
    palette = small[-1].quantize(COLOURS)
    return [each.quantize(palette=palette, dither=Image.Dither.NONE) for each in small]


def main(path: Path) -> None:
    """Write the picture."""
    first, *others = frames()
    durations = [MILLISECONDS] * len(others) + [4 * MILLISECONDS]
    first.save(path, save_all=True, append_images=others, duration=durations, loop=0, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
