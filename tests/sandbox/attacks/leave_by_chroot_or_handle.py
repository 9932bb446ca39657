"""chroot, name_to_handle_at, open_by_handle_at."""

import ctypes
import os

from attack import must_be_refused, must_fail, tried

must_fail("chroot", os.chroot, "/tmp")
names = {"x86_64": (303, 304), "aarch64": (264, 265)}[os.uname().machine]
handle = ctypes.create_string_buffer((128).to_bytes(4, "little") + bytes(132))
mount_id = ctypes.c_int()
must_be_refused("name_to_handle_at", names[0], -100, b"/usr", handle, ctypes.byref(mount_id), 0)
must_be_refused("open_by_handle_at", names[1], os.open("/usr", os.O_RDONLY), handle, 0)
tried()
