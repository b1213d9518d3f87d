import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../config/defaults.ts';
import { type Diagnostic, DiagnosticBag } from '../diagnostics/bag.ts';
import type { JsonPath } from '../diagnostics/span.ts';
import { parse } from '../source/parse.ts';
import { runs } from '../testing/effort.ts';
import { hosts, type MeshHost, type MeshPod, meshTopology, pods, rootNamespace } from '../testing/generated-mesh.ts';
import { type GeneratedPolicy, policies, policyFiles } from '../testing/generated-policies.ts';
import {
  acceptedMode,
  clientTransport,
  coveredHosts,
  rulesInForce,
  type Transport,
  workloadPolicy,
} from '../testing/policy-oracle.ts';
import type { Compilation } from './compilation.ts';
import { createCompiler } from './compile.ts';
import type { PolicyOrigin } from './ir/origin.ts';
import type { EnvoyConfig } from './render/resource.ts';
import { chainsOf, modeOf, transportOf } from './testing/rendered-tls.ts';

const topology = meshTopology();
const compiler = createCompiler({ settings: defaultSettings });
const proxied = pods.filter(({ hasSidecar }) => hasSidecar);

describe('compile', () => {
  test('brings out every field of every policy or names it', () => {
    fc.assert(
      fc.property(policies(), (all) => {
        const { compilation, diagnostics } = compiled(all);
        const origins = compilation.configs.flatMap(originsOf);
        const lost = all.flatMap((policy, i) => {
          const named = namedIn(policyFiles(all)[i]?.path ?? '', policyFiles(all)[i]?.text ?? '', diagnostics);
          const own = origins.filter((origin) => isOf(origin, policy));
          return leavesOf(policy.spec, ['spec'])
            .filter(({ path }) => !own.some((origin) => standsFor(origin.field, path)) && !named(path))
            .filter((leaf) => !saysNothing(all, policy, leaf))
            .map(({ path }) => `${policy.kind} ${policy.metadata.name} ${path.join('.')}`);
        });
        expect(lost).toEqual([]);
      }),
      runs(),
    );
  });

  test('accepts on every port of every workload what precedence says', () => {
    fc.assert(
      fc.property(policies(), (all) => {
        const { compilation } = compiled(all);
        for (const pod of proxied) {
          const ports = [...pod.ports, undefined];
          const expected = ports.map((port) => [port, acceptedMode(all, pod, port)]);
          const chains = chainsOf(configOf(compilation, pod));
          expect({ pod: pod.name, modes: ports.map((port) => [port, modeOf(chains, port)]) }).toEqual({
            pod: pod.name,
            modes: expected,
          });
        }
      }),
      runs(),
    );
  });

  test('speaks to every port of every host and subset as the decision table says', () => {
    fc.assert(
      fc.property(policies(), (all) => {
        const { compilation } = compiled(all);
        for (const client of proxied) {
          const clusters = new Map(configOf(compilation, client).clusters.map(({ name, json }) => [name, json]));
          const seen: [string, Transport | undefined][] = [];
          const expected: [string, Transport | undefined][] = [];
          for (const host of hosts) {
            const subsets = rulesInForce(all, client, host).flatMap(({ spec }) => spec.subsets ?? []);
            for (const subset of ['', ...new Set<string>(subsets.map(({ name }) => name))]) {
              for (const port of host.ports) {
                const name = `outbound|${port}|${subset}|${host.host}`;
                // A DNS cluster for a subset without endpoints is left out: these hosts' endpoints have no labels.
                const isLeftOut = subset !== '' && host.kind === 'external' && !clusters.has(name);
                if (!isLeftOut) expected.push([name, clientTransport(all, client, { host, port, subset })]);
                if (!isLeftOut) seen.push([name, transportOf(clusters.get(name))]);
              }
            }
          }
          const outbound = [...clusters.keys()].filter((name) => name.startsWith('outbound|'));
          expect({ client: client.name, seen }).toEqual({ client: client.name, seen: expected });
          expect(outbound.sort()).toEqual(expected.map(([name]) => name).sort());
        }
      }),
      runs(),
    );
  });
});

function compiled(all: readonly GeneratedPolicy[]): {
  compilation: Compilation;
  diagnostics: readonly Diagnostic[];
} {
  const bag = new DiagnosticBag();
  const compilation = compiler.compile([topology, ...policyFiles(all)], 'all', bag);
  if (compilation === undefined) throw new Error(bag.all.map(({ message }) => message).join('\n'));
  return { compilation, diagnostics: bag.all };
}

function configOf({ configs }: Compilation, pod: MeshPod): EnvoyConfig {
  const found = configs.find(({ namespace, workload }) => namespace === pod.namespace && workload === pod.name);
  if (found === undefined) throw new Error(`no configuration for ${pod.namespace}/${pod.name}`);
  return found;
}

function originsOf({ listeners, clusters, routes }: EnvoyConfig): PolicyOrigin[] {
  const fragments = [...listeners, ...clusters, ...routes].flatMap(({ origins }) => origins);
  return fragments.flatMap(({ decidedBy, overrode }) => [...decidedBy, ...overrode]);
}

function isOf(origin: PolicyOrigin, { kind, metadata }: GeneratedPolicy): boolean {
  return origin.kind === kind && origin.namespace === metadata.namespace && origin.name === metadata.name;
}

interface Leaf {
  readonly path: JsonPath;
  readonly value: unknown;
}

function leavesOf(value: unknown, path: JsonPath): Leaf[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }];
  return Object.entries(value).flatMap(([key, child]) =>
    leavesOf(child, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

const blocks = ['tls', 'connectionPool', 'loadBalancer', 'outlierDetection'];

/**
 * An origin is a field or a whole block; that of TLS is its mode. Where a policy holds (its scope, a subset's name and
 * labels, an entry's port) is in the output when anything that it says there is.
 */
function standsFor(origin: JsonPath, leaf: JsonPath): boolean {
  const block = leaf.findIndex((key) => blocks.includes(String(key)));
  if (block >= 0) return isPrefix(leaf.slice(0, block + 1), origin);
  const scope = leaf.findIndex((key) => key === 'portLevelSettings' || key === 'subsets');
  const own = leaf[1] === 'mtls' || leaf[1] === 'portLevelMtls' ? leaf : leaf.slice(0, 1);
  return isPrefix(scope < 0 ? own : leaf.slice(0, leaf.lastIndexOf(lastIndex(leaf)) + 1), origin);
}

function lastIndex(path: JsonPath): string | number {
  return path.findLast((key) => typeof key === 'number') ?? '';
}

function isPrefix(prefix: JsonPath, path: JsonPath): boolean {
  return prefix.every((key, i) => path[i] === key);
}

/** Whether a diagnostic stands at a field, at one that holds it, or at the name of its list entry or of the object. */
function namedIn(path: string, text: string, diagnostics: readonly Diagnostic[]): (leaf: JsonPath) => boolean {
  const places = diagnostics.flatMap(({ span }) => (span?.file === path ? [span] : []));
  if (places.length === 0) return () => false;
  const [document] = parse([{ path, text }], new DiagnosticBag());
  const isPlace = (field: JsonPath): boolean =>
    (['key', 'value'] as const).some((part) => {
      const span = document?.spanOf(field, part);
      return places.some(({ start, end }) => start === span?.start && end === span.end);
    });
  const isObject = isPlace(['metadata', 'name']);
  const isEntry = (entry: JsonPath): boolean => isPlace([...entry, 'name']) || isPlace([...entry, 'port', 'number']);
  return (leaf) =>
    isObject ||
    leaf.some((key, i) => {
      const field = leaf.slice(0, i + 1);
      return i > 0 && (isPlace(field) || (typeof key === 'number' && isEntry(field)));
    });
}

/**
 * Found without the compiler: the policy, or the entry of it, holds for nothing in this mesh, or asks for what is so
 * anyway.
 */
function saysNothing(all: readonly GeneratedPolicy[], policy: GeneratedPolicy, leaf: Leaf): boolean {
  return policy.kind === 'PeerAuthentication'
    ? peerSaysNothing(all, policy, leaf)
    : ruleSaysNothing(all, policy, leaf.path);
}

function peerSaysNothing(all: readonly GeneratedPolicy[], policy: GeneratedPolicy, { path, value }: Leaf): boolean {
  const { namespace } = policy.metadata;
  const isWhole = policy.spec.selector === undefined;
  const held = proxied.filter((pod) =>
    isWhole
      ? namespace === rootNamespace || pod.namespace === namespace
      : workloadPolicy(all, pod)?.metadata.name === policy.metadata.name,
  );
  if (path[1] === 'selector')
    return leavesOf(policy.spec, ['spec']).every(
      (leaf) => leaf.path[1] === 'selector' || peerSaysNothing(all, policy, leaf),
    );
  if (value === 'UNSET') return true;
  return held.every((pod) => acceptedMode(all, pod, path[1] === 'mtls' ? undefined : Number(path[2])) === value);
}

function ruleSaysNothing(all: readonly GeneratedPolicy[], policy: GeneratedPolicy, path: JsonPath): boolean {
  const held = coveredHosts(policy).filter((host) =>
    proxied.some((client) => rulesInForce(all, client, host).includes(policy)),
  );
  // Its endpoints have no labels for a subset to choose by, and such a cluster of a DNS host is left out.
  const isServed = ({ kind }: MeshHost): boolean => path[1] !== 'subsets' || kind !== 'external';
  const at = path.lastIndexOf('portLevelSettings');
  if (at < 0) return !held.some(isServed);
  const level = path.slice(1, at + 2).reduce((value, key) => value?.[key], policy.spec);
  return !held.some((host) => isServed(host) && host.ports.includes(level.port.number));
}
