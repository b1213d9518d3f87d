import type { Family, InterceptionMode } from './config.ts';
import type { PacketOwner } from './validate-owner.ts';
import type { ProbeEnd, ProbeFamily } from './validate-probe.ts';

/**
 * What the probe passes, in order: it is made by the proxy's `owner`, our port can `listen`, the delivery `address` can
 * be used, the rules `capture` a connection to it, and leave the proxy's `delivery` to its application alone.
 */
export type Hop = 'owner' | 'listen' | 'address' | 'capture' | 'delivery';

export interface FailedHop {
  readonly hop: Hop;
  /** Absent where both families fail alike. */
  readonly family?: Family;
  readonly message: string;
  /** What to do, as an imperative sentence. */
  readonly hint: string;
}

/** What the rules are meant to do with the probe. */
export interface Expectation {
  readonly mode: InterceptionMode;
  readonly inboundPort: number;
  readonly probePort: number;
  readonly owner: PacketOwner;
}

/** How the two connections to `delivery`:`probePort` of one family ended. */
export interface ProbeFindings {
  /** From loopback: as another program of the workload would call the pod. */
  readonly capture: ProbeEnd;
  /** From the delivery address: as the proxy calls its application. */
  readonly delivery: ProbeEnd;
}

/** The first hop at which a family's probes went wrong. */
export function failedHop(
  family: ProbeFamily,
  expectation: Expectation,
  { capture, delivery }: ProbeFindings,
): FailedHop | undefined {
  const { probePort } = expectation;
  if (isAddressMissing(capture) || isAddressMissing(delivery)) return missingAddress(family);
  if (!isCaptured(expectation, capture, delivery)) return notCaptured(family, expectation, capture);
  if (delivery.kind !== 'arrived') return undefined;
  return {
    hop: 'delivery',
    family: family.name,
    message: `a call of the proxy to its application (from ${family.delivery} to ${at(family, probePort)}) came back to port ${delivery.port} and would go round for ever`,
    hint: `let MESH_OUTPUT begin with a rule that returns what comes from ${family.delivery}`,
  };
}

/** The inbound port cannot be opened, so nothing can be seen. */
export function cannotListen(family: ProbeFamily, port: number, code: string): FailedHop {
  const isTaken = code === 'EADDRINUSE';
  return {
    hop: 'listen',
    family: family.name,
    message: `cannot listen on ${at({ ...family, delivery: family.loopback }, port)} to see the probe arrive (${code})`,
    hint: isTaken ? 'validate before the proxy starts: its port is in use' : 'name a port that may be opened',
  };
}

/** The rules know the proxy by its ids, and the process has none of them. */
export function wrongOwner(uids: readonly number[], gids: readonly number[], { uid, gid }: PacketOwner): FailedHop {
  return {
    hop: 'owner',
    message: `the rules take the probe for the proxy's only with uid ${uids.join(' or ')} or gid ${gids.join(' or ')}, and this is uid ${uid}, gid ${gid}`,
    hint: 'validate as the proxy or as root, or name these ids by --proxy-uid and --proxy-gid',
  };
}

/**
 * Under TPROXY the packet goes to a transparent socket, which Node cannot make: without one the kernel drops it. A
 * connection from another address to the same closed port is refused at once, so silence is the rules' doing.
 */
function isCaptured({ mode, inboundPort }: Expectation, capture: ProbeEnd, delivery: ProbeEnd): boolean {
  if (capture.kind === 'arrived') return capture.port === inboundPort;
  if (mode === 'REDIRECT' || capture.kind === 'error') return false;
  return isAnswered(capture) !== isAnswered(delivery);
}

/** Somebody took the connection; a refusal and a silence are told apart by who made them. */
function isAnswered(end: ProbeEnd): 'yes' | 'no' | 'refused' {
  if (end.kind === 'error') return 'refused';
  return end.kind === 'silent' && !end.isConnected ? 'no' : 'yes';
}

/** Under TPROXY only the captured inbound ports lead a probe to the proxy. */
export function nothingToProbe(): FailedHop {
  return {
    hop: 'capture',
    message: 'the rules capture no inbound port, and under TPROXY nothing else shows that they are there',
    hint: 'name the captured ports by --mesh-inbound-ports',
  };
}

function notCaptured(family: ProbeFamily, expectation: Expectation, capture: ProbeEnd): FailedHop {
  const { probePort, inboundPort, owner } = expectation;
  const way = `the probe (from ${family.loopback} to ${at(family, probePort)}, uid ${owner.uid}, gid ${owner.gid})`;
  const [message, hint] = explain(capture, way, inboundPort);
  return { hop: 'capture', family: family.name, message, hint };
}

function explain(end: ProbeEnd, way: string, inboundPort: number): [message: string, hint: string] {
  switch (end.kind) {
    case 'arrived':
      return [
        `${way} arrived at port ${end.port}, not at ${inboundPort}`,
        'apply the rules with the ports and ids that are named here',
      ];
    case 'stranger':
      return [
        `${way} was not redirected to port ${inboundPort}: another program answered`,
        'apply the rules first, and name a free port by --iptables-probe-port',
      ];
    case 'silent':
      return [
        `${way} vanished: it was neither redirected to port ${inboundPort} nor refused`,
        'look for rules that drop it, or for rules that were applied in the other interception mode',
      ];
    case 'error':
      return [
        `${way} was not redirected to port ${inboundPort} (${end.code})`,
        'apply the rules first, in this network namespace and with these ids',
      ];
  }
}

function missingAddress(family: ProbeFamily): FailedHop {
  return {
    hop: 'address',
    family: family.name,
    message: `${family.delivery}, which the proxy calls its application from, is not an address of this host`,
    hint:
      family.name === 'IPv4'
        ? 'bring the interface lo up'
        : `bring the interface lo up and add the address: ip -6 addr add ${family.delivery}/128 dev lo`,
  };
}

const addressErrors: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'ENETUNREACH', 'EHOSTUNREACH', 'EAFNOSUPPORT']);

function isAddressMissing(end: ProbeEnd): boolean {
  return end.kind === 'error' && addressErrors.has(end.code);
}

function at({ name, delivery }: ProbeFamily, port: number): string {
  return name === 'IPv4' ? `${delivery}:${port}` : `[${delivery}]:${port}`;
}
