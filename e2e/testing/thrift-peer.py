"""A Thrift application, with the library of the Thrift project: `thrift-peer.py serve HOST PORT NAME` answers each call
with NAME; `thrift-peer.py call HOST PORT TIMES` makes that many calls on one connection and prints the answers, one a line."""

import sys

from thrift.protocol.TBinaryProtocol import TBinaryProtocol, TBinaryProtocolFactory
from thrift.server.TServer import TThreadedServer
from thrift.Thrift import TApplicationException, TMessageType, TProcessor, TType
from thrift.transport.TSocket import TServerSocket, TSocket
from thrift.transport.TTransport import TFramedTransport, TFramedTransportFactory, TTransportException


class Namer(TProcessor):
    def __init__(self, name):
        self.name = name

    def process(self, source, sink):
        method, _, number = source.readMessageBegin()
        source.skip(TType.STRUCT)
        source.readMessageEnd()
        sink.writeMessageBegin(method, TMessageType.REPLY, number)
        write_struct(sink, self.name)
        sink.writeMessageEnd()
        sink.trans.flush()
        return True


def write_struct(sink, text=None):
    sink.writeStructBegin("")
    if text is not None:
        sink.writeFieldBegin("success", TType.STRING, 0)
        sink.writeString(text)
        sink.writeFieldEnd()
    sink.writeFieldStop()
    sink.writeStructEnd()


def read_answer(source):
    _, kind, _ = source.readMessageBegin()
    if kind == TMessageType.EXCEPTION:
        failure = TApplicationException()
        failure.read(source)
        source.readMessageEnd()
        return "exception: " + str(failure.message)
    source.readStructBegin()
    source.readFieldBegin()
    text = source.readString()
    source.readFieldEnd()
    source.readFieldBegin()
    source.readStructEnd()
    source.readMessageEnd()
    return text


def serve(host, port, name):
    socket = TServerSocket(host, port)
    TThreadedServer(Namer(name), socket, TFramedTransportFactory(), TBinaryProtocolFactory(), daemon=True).serve()


def call(host, port, times):
    socket = TSocket(host, port)
    socket.setTimeout(5000)
    protocol = TBinaryProtocol(TFramedTransport(socket))
    try:
        protocol.trans.open()
        for number in range(times):
            protocol.writeMessageBegin("name", TMessageType.CALL, number)
            write_struct(protocol)
            protocol.writeMessageEnd()
            protocol.trans.flush()
            print(read_answer(protocol))
    except TTransportException:
        print("closed")


if __name__ == "__main__":
    command, host, port, last = sys.argv[1:]
    if command == "serve":
        serve(host, int(port), last)
    else:
        call(host, int(port), int(last))
