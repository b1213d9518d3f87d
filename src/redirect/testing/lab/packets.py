"""Packets with a chosen owner, and listeners that say who they are. Python, because Node can neither read the original
destination of a redirected connection nor make a transparent socket.

    packets.py listen SPEC   SPEC: {"who", "uid", "tcp": [port], "udp": [port], "transparent": bool}
    packets.py dial          stdin: [{"to", "port", "uid", "gid", "source"?, "udp"?, "frame"?}], stdout: [{"answer"}]
    packets.py storm CALLS   as dial, again and again until SIGTERM; stdout: for each call [[{"answer"}, count]]
"""

import errno
import json
import os
import signal
import socket
import struct
import sys
import threading

sys.dont_write_bytecode = True
from frames import by_frames  # noqa: E402

SO_ORIGINAL_DST = 80  # linux/netfilter_ipv4.h and, with the same number, linux/netfilter_ipv6/ip6_tables.h
IP_TRANSPARENT = 19
IPV6_TRANSPARENT = 75
PATIENCE_SECONDS = 1.5


def listen(spec):
    sockets = [
        (kind, open_socket(family, kind, port, spec.get("transparent", False)))
        for kind, ports in ((socket.SOCK_STREAM, spec["tcp"]), (socket.SOCK_DGRAM, spec.get("udp", [])))
        for port in ports
        for family in (socket.AF_INET, socket.AF_INET6)
    ]
    # The owner of an accepted connection is whoever accepts it, so this comes before the first accept.
    become(spec["uid"], spec["uid"])
    for kind, one in sockets:
        serve = serve_stream if kind == socket.SOCK_STREAM else serve_datagrams
        threading.Thread(target=serve, args=(one, spec["who"])).start()
    print("listening", flush=True)


def open_socket(family, kind, port, transparent):
    one = socket.socket(family, kind)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    if transparent:
        if family == socket.AF_INET:
            one.setsockopt(socket.SOL_IP, IP_TRANSPARENT, 1)
        else:
            one.setsockopt(socket.IPPROTO_IPV6, IPV6_TRANSPARENT, 1)
    one.bind(("0.0.0.0" if family == socket.AF_INET else "::", port))
    if kind == socket.SOCK_STREAM:
        one.listen(128)
    return one


def serve_stream(listener, who):
    port = listener.getsockname()[1]
    while True:
        connection, peer = listener.accept()
        with connection:
            answer = {"who": who, "port": port, "from": peer[0], "for": list(original_destination(connection))}
            try:
                connection.sendall(json.dumps(answer).encode())
            except OSError:
                pass


def serve_datagrams(one, who):
    port = one.getsockname()[1]
    while True:
        _, peer = one.recvfrom(512)
        answer = {"who": who, "port": port, "from": peer[0], "for": None}
        one.sendto(json.dumps(answer).encode(), peer)


def original_destination(connection):
    """What the client dialled: from the translation, else the socket's own address (no translation, or TPROXY)."""
    try:
        if connection.family == socket.AF_INET:
            raw = connection.getsockopt(socket.SOL_IP, SO_ORIGINAL_DST, 16)
            return socket.inet_ntop(socket.AF_INET, raw[4:8]), struct.unpack("!H", raw[2:4])[0]
        raw = connection.getsockopt(socket.IPPROTO_IPV6, SO_ORIGINAL_DST, 28)
        return socket.inet_ntop(socket.AF_INET6, raw[8:24]), struct.unpack("!H", raw[2:4])[0]
    except OSError:
        return connection.getsockname()[:2]


def dial(calls):
    """The answers of all calls, made at once, a process each: a packet's owner is the process that made its socket."""
    children = []
    for call in calls:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            become(call["uid"], call["gid"])
            os.write(writer, json.dumps(attempt(call)).encode())
            os._exit(0)
        os.close(writer)
        children.append((child, reader))
    answers = []
    for child, reader in children:
        with os.fdopen(reader, "rb") as pipe:
            answers.append(json.loads(pipe.read()))
        os.waitpid(child, 0)
    return answers


def storm(calls):
    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
    print("listening", flush=True)
    counts = [{} for _ in calls]
    while not stopped:
        for count, answer in zip(counts, dial(calls)):
            text = json.dumps(answer)
            count[text] = count.get(text, 0) + 1
    print(json.dumps([[[json.loads(text), n] for text, n in count.items()] for count in counts]))


def attempt(call):
    if "frame" in call:
        return {"answer": by_frames(call)}
    family = socket.AF_INET6 if ":" in call["to"] else socket.AF_INET
    is_udp = call.get("udp", False)
    with socket.socket(family, socket.SOCK_DGRAM if is_udp else socket.SOCK_STREAM) as one:
        one.settimeout(PATIENCE_SECONDS)
        try:
            if "source" in call:
                one.bind((call["source"], 0))
            one.connect((call["to"], call["port"]))
            if is_udp:
                one.send(b"?")
            answer = one.recv(4096)
            return {"answer": json.loads(answer) if answer else "closed"}
        except TimeoutError:
            return {"answer": "silent"}
        except OSError as error:
            return {"answer": errno.errorcode[error.errno]}


def become(uid, gid):
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


if sys.argv[1] == "listen":
    listen(json.loads(sys.argv[2]))
elif sys.argv[1] == "storm":
    storm(json.loads(sys.argv[2]))
else:
    print(json.dumps(dial(json.load(sys.stdin))))
