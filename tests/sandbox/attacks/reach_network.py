"""TCP, UDP, an abstract Unix socket of the host; other interfaces; other socket families."""

import socket

from attack import HOST, breach, must_fail, tried

for address in ("127.0.0.1", "10.0.0.1", HOST["address"], "169.254.169.254"):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tcp:
        tcp.settimeout(0.2)
        must_fail(f"TCP {address}", tcp.connect, (address, HOST["tcp_port"]))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        try:
            udp.sendto(b"out", (address, HOST["udp_port"]))
        except OSError:
            continue
with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as unix:
    must_fail("abstract socket", unix.connect, "\0" + HOST["abstract_name"])
with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as unix:
    must_fail("socket file", unix.connect, HOST["socket_file"])
if [name for _, name in socket.if_nameindex()] != ["lo"]:
    breach("interfaces beside lo")
must_fail("names", socket.getaddrinfo, "example.org", 80)
for family in range(64):
    if family not in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, socket.SOCK_RAW):
            must_fail(f"family {family}", socket.socket, family, kind)
for protocol in range(1, 24):
    must_fail(f"netlink {protocol}", socket.socket, socket.AF_NETLINK, socket.SOCK_RAW, protocol)
must_fail("raw", socket.socket, socket.AF_INET, socket.SOCK_RAW, 1)
tried()
