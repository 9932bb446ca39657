"""The host process holds an inheritable descriptor of a folder."""

from pathlib import Path

from attack import breach, names, tried

for name in names("/proc/self/fd"):
    if int(name) > 2:
        try:
            breach(f"{name} -> {Path(f'/proc/self/fd/{name}').readlink()}")
        except FileNotFoundError:
            continue  # the descriptor of the listing itself
tried()
