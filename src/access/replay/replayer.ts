import { assumedAddress } from '../evaluate/access-request.ts';
import { resolvedAddress } from '../resolve-target.ts';
import { keyOf, type WorkloadName } from '../world.ts';
import { AddressClasses } from './address-classes.ts';
import { headersRead } from './headers-read.ts';
import { judgeLine, type LineVerdict, type Versions } from './judge-line.ts';
import type { WriterTraits } from './known-request.ts';
import { type LogTraits, logTraits } from './log-traits.ts';
import type { LoggedRequest } from './logged-request.ts';
import { PathClasses } from './path-classes.ts';
import { type PlacedLine, placeLine } from './place-line.ts';

/** A line that was compared, or why it could not be. */
export type ReplayedLine =
  | { readonly placed: PlacedLine; readonly verdict: LineVerdict }
  | { readonly unplaced: string };

/** So many verdicts are kept: those of the requests that come again and again. */
const mostKept = 20_000;

/** Without its way, which nobody asks for. */
const same: LineVerdict = { kind: 'same' };

interface WriterVersions {
  readonly own: WriterTraits;
  readonly newForms: string;
  readonly paths: PathClasses;
}

/** Compares the answers of two versions of a mesh to logged requests, one after the other. */
export class Replayer {
  readonly #versions: Versions;
  readonly #named: WorkloadName | undefined;
  readonly #read: ReadonlySet<string>;
  readonly #traits = new Map<string, WriterVersions>();
  readonly #addresses: AddressClasses;
  readonly #kept = new Map<string, LineVerdict>();
  #all: ReadonlyMap<string, LogTraits> | undefined;

  /** `named`: the workload whose proxy wrote every line; absent: it is found by the addresses of each. */
  constructor(versions: Versions, named?: WorkloadName) {
    this.#versions = versions;
    this.#named = named;
    const both = [versions.before, versions.after];
    this.#read = headersRead(both);
    this.#addresses = new AddressClasses(both, [assumedAddress, resolvedAddress]);
  }

  replay(logged: LoggedRequest): ReplayedLine {
    const placed = placeLine(this.#versions.before, logged, this.#named);
    if (typeof placed === 'string') return { unplaced: placed };
    const traits = this.#traitsOf(keyOf(placed.writer));
    const key = this.#keyOf(logged, placed, traits.paths);
    const kept = this.#kept.get(key);
    if (kept !== undefined) return { placed, verdict: kept };
    const verdict = judgeLine(this.#versions, logged, placed, traits.own, traits.newForms);
    if (this.#kept.size >= mostKept) this.#kept.clear();
    this.#kept.set(key, verdict.kind === 'same' ? same : verdict);
    return { placed, verdict };
  }

  #traitsOf(key: string): WriterVersions {
    const known = this.#traits.get(key);
    if (known !== undefined) return known;
    const { before, after } = this.#versions;
    this.#all ??= new Map([...before.proxies].map(([one, proxy]) => [one, logTraits(proxy)]));
    const [own, old, next] = [this.#all.get(key), before.proxies.get(key), after.proxies.get(key)];
    if (own === undefined || old === undefined) throw new Error(`${key} has no proxy`);
    const rewrittenByOthers = [...this.#all].flatMap(([one, { rewritten }]) => (one === key ? [] : rewritten));
    const { trustDomain } = before.mesh;
    const traits = {
      own: { ...own, rewrittenByOthers, read: this.#read, trustDomain },
      newForms: next === undefined ? '' : logTraits(next).forms,
      paths: new PathClasses(next === undefined ? [old] : [old, next], rewrittenByOthers),
    };
    this.#traits.set(key, traits);
    return traits;
  }

  /** All that a verdict may depend on. */
  #keyOf(logged: LoggedRequest, { writer, side }: PlacedLine, paths: PathClasses): string {
    const { source, destination, upstreamHost, lacked, identity, tellsIdentity, serverName, cluster } = logged;
    const { protocol, method, path, authority, status, details, tells, headers } = logged;
    // What is sent on meets the conditions of other proxies.
    const pathClass = side === 'server' && path !== undefined ? paths.of(path) : undefined;
    const peer = source?.address ?? '';
    return JSON.stringify([
      ...[keyOf(writer), side],
      // A sidecar's client is its own workload.
      (side === 'client' ? undefined : this.#addresses.of(peer)) ?? ['address', peer],
      ...[destination?.address, destination?.port, upstreamHost?.address, lacked, identity, tellsIdentity],
      ...[serverName, cluster, protocol, method, pathClass ?? ['path', path], authority, status, details],
      ...[tells.serverName, tells.directAddress, tells.details, tells.path],
      tells.headers.filter((name) => this.#read.has(name)),
      headers.flatMap(([name, value]) => {
        if (!this.#read.has(name)) return [];
        const forwarded = name === 'x-forwarded-for' ? this.#addresses.ofForwarded(value, peer) : undefined;
        return [[name, forwarded === undefined ? value : ['addresses', forwarded]]];
      }),
    ]);
  }
}
