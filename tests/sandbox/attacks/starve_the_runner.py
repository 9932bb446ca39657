"""Limit the memory of the process that writes the run's log (as any process of the same user could)."""

import os
import resource

from attack import must_fail, say, tried

parent = os.getppid()
must_fail("limits of the parent", resource.prlimit, parent, resource.RLIMIT_AS, (20_000_000, 20_000_000))
must_fail("limits of process 1", resource.prlimit, 1, resource.RLIMIT_NOFILE, (3, 3))
say(f"own limit {resource.getrlimit(resource.RLIMIT_NOFILE)[0]}")
tried()
