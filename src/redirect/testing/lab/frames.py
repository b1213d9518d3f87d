"""TCP connections in frames of our own making, past the routing of the network namespace: no routing table decides which
destination a neighbour on the link may name."""

import json
import os
import socket
import struct
import time

FIN, SYN, RST, ACK = 0x01, 0x02, 0x04, 0x10
# The kernel knows nothing of these connections: its resets of them are filtered out by their ports.
FIRST_PORT = 61000
CONNECT_SECONDS = 0.4
ANSWER_SECONDS = 3


def by_frames(call):
    """What a connection meets; "frame" holds the device, the link address to send to, and what is said first. An answer
    that is not a listener's comes back as text."""
    end = FrameEnd(call)
    end.send(SYN)
    if end.receive(lambda flags, data: flags & SYN, CONNECT_SECONDS) is None:
        return "ECONNREFUSED" if end.is_refused else "silent"
    end.send(ACK, call["frame"].get("say", "").encode())
    data = end.receive(lambda flags, data: data or flags & FIN, ANSWER_SECONDS)
    end.send(RST)
    if data is None and not end.is_refused:
        return "connected, no answer"
    if not data:
        return "closed"
    return json.loads(data) if data.startswith(b'{"who"') else data.decode(errors="replace")


class FrameEnd:
    """Our end of one connection."""

    def __init__(self, call):
        self.is_v6 = ":" in call["to"]
        family = socket.AF_INET6 if self.is_v6 else socket.AF_INET
        self.addresses = [socket.inet_pton(family, call[name]) for name in ("source", "to")]
        self.ports = (FIRST_PORT + os.getpid() % 4000, call["port"])
        self.sequence, self.acknowledged, self.is_refused = 1000, 0, False
        self.link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))  # ETH_P_ALL
        self.link.bind((call["frame"]["device"], 0))
        neighbour = bytes.fromhex(call["frame"]["to"].replace(":", ""))
        self.header = neighbour + self.link.getsockname()[4] + (b"\x86\xdd" if self.is_v6 else b"\x08\x00")

    def send(self, flags, data=b""):
        segment = self.segment(flags | (ACK if self.acknowledged else 0), data, 0)
        segment = self.segment(flags | (ACK if self.acknowledged else 0), data, checksum(self.pseudo(segment) + segment))
        source, target = self.addresses
        if self.is_v6:
            packet = struct.pack("!IHBB", 6 << 28, len(segment), 6, 64) + source + target
        else:
            start = struct.pack("!BBHHHBB", 0x45, 0, 20 + len(segment), 0, 0, 64, 6)
            total = checksum(start + b"\0\0" + source + target)
            packet = start + struct.pack("!H", total) + source + target
        self.link.send(self.header + packet + segment)
        self.sequence += len(data) + (1 if flags & SYN else 0)

    def segment(self, flags, data, total):
        return struct.pack("!HHIIBBHHH", *self.ports, self.sequence, self.acknowledged, 5 << 4, flags, 65535, total, 0) + data

    def pseudo(self, segment):
        return b"".join(self.addresses) + struct.pack("!IHBB", len(segment), 0, 0, 6)

    def receive(self, is_wanted, patience_seconds):
        """The data of the next segment that is wanted; None when there is none in time, or the connection is reset."""
        deadline = time.monotonic() + patience_seconds
        while (left := deadline - time.monotonic()) > 0:
            self.link.settimeout(left)
            try:
                frame = self.link.recv(65536)
            except TimeoutError:
                return None
            found = self.read(frame)
            if found is None:
                continue
            flags, sequence, data = found
            self.is_refused = bool(flags & RST)
            if self.is_refused:
                return None
            if is_wanted(flags, data):
                self.acknowledged = sequence + len(data) + (1 if flags & SYN else 0)
                return data
        return None

    def read(self, frame):
        """Flags, sequence number and data of a segment of this connection."""
        start = 54 if self.is_v6 else 34
        if frame[12:14] != self.header[12:14] or len(frame) < start + 20 or frame[20 if self.is_v6 else 23] != 6:
            return None
        source, target, sequence, _, offset, flags = struct.unpack("!HHIIBB", frame[start : start + 14])
        if (target, source) != self.ports:
            return None
        length = struct.unpack("!H", frame[18:20] if self.is_v6 else frame[16:18])[0] - (0 if self.is_v6 else 20)
        return flags, sequence, frame[start + (offset >> 4) * 4 : start + length]


def checksum(data):
    """RFC 1071."""
    total = sum(struct.unpack(f"!{(len(data) + 1) // 2}H", data + b"\0" * (len(data) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
