import { createCompiler } from '../../compiler/compile.ts';
import type { EnvoyConfig } from '../../compiler/render/resource.ts';
import { defaultSettings } from '../../config/defaults.ts';
import type { SourceFile } from '../../source/document.ts';
import { Fleet } from '../fleet.ts';
import type { FleetOutcome, ProxyOutcome } from '../fleet-outcome.ts';
import { createKeySetGatherer } from '../key-sets/gather.ts';

/** A sidecar `web` in a namespace, with its Service; `rest` goes on with its metadata. */
export const workload = (namespace: string, address: string, rest = ''): string => `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: ${namespace}, labels: {app: web}${rest}}
spec: {containers: [{name: app}, {name: mesh-proxy}]}
status: {podIP: ${address}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: ${namespace}}
spec: {selector: {app: web}, clusterIP: 10.96.0.${address.slice(-1)}, ports: [{name: http, port: 80}]}
`;
/** A policy of a name (`<namespace>/<name>`) and a path. */
export const authorization = (name: string, path: string, { action = 'DENY', app = '' } = {}): string => {
  const [namespace, own] = name.split('/');
  const selector = app === '' ? '' : `selector: {matchLabels: {app: ${app}}}, `;
  return `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: ${own}, namespace: ${namespace}}
spec: {${selector}action: ${action}, rules: [{to: [{operation: {paths: [${path}]}}]}]}
`;
};
/** A PeerAuthentication of a name (`<namespace>/<name>`). */
export const peers = (name: string, mode: string): string => {
  const [namespace, own] = name.split('/');
  return `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: ${own}, namespace: ${namespace}}
spec: {mtls: {mode: ${mode}}}
`;
};
/** A sidecar in each of three namespaces. */
export const mesh = ['a', 'b', 'c'].map((namespace, i) => workload(namespace, `10.0.0.${i + 1}`)).join('---\n');

/** What a proxy refuses, by its paths; `*` when it lets nothing through. */
function denied(config: EnvoyConfig): readonly string[] {
  const text = config.listeners.map((listener) => listener.text).join();
  if (text.includes('virtualInbound-denied')) return ['*'];
  return [...new Set(text.match(/"exact": "\/[a-z0-9]+"/g) ?? [])].map((found) => found.slice(10, -1)).sort();
}

/** Status of a proxy, and what it refuses, in one line. */
export function formOf(outcome: ProxyOutcome): string {
  const paths = (config: EnvoyConfig): string => denied(config).join(' ');
  const faults = outcome.faults.map(({ object, file, line, heldSince }) => {
    const name = object === undefined ? '?' : `${object.namespace}/${object.name}`;
    return `${name} ${file}:${line}${heldSince === undefined ? '' : ` as of ${heldSince}`}`;
  });
  const why = [...new Set(faults)].sort().join(', ');
  if ('config' in outcome) return [paths(outcome.config), why].filter((it) => it !== '').join(' | ');
  return `frozen since ${outcome.since}: ${paths(outcome.frozen)} | ${why}`;
}

/** The same of all proxies, by their namespaces. */
export function formsOf({ outcomes }: FleetOutcome): Readonly<Record<string, string>> {
  return Object.fromEntries([...outcomes].sort().map(([key, outcome]) => [key.replace('/web', ''), formOf(outcome)]));
}

/** A fleet with default settings and without key sets. */
export const newFleet = (): Fleet =>
  new Fleet({
    settings: defaultSettings,
    createCompiler: () => createCompiler({ settings: defaultSettings }),
    gatherer: createKeySetGatherer([]),
  });

/** A fleet that is given texts, of which each version is named after its number. */
export class GivenFleet {
  #fleet = newFleet();
  readonly #isHandedOver: boolean;
  #count = 0;

  /** With `isHandedOver`, each version is taken by another fleet, which knows what the one before had in force. */
  constructor(isHandedOver: boolean) {
    this.#isHandedOver = isHandedOver;
  }

  async take(texts: Readonly<Record<string, string>>): Promise<FleetOutcome> {
    const files: SourceFile[] = Object.entries({ 'mesh.yaml': mesh, ...texts }).map(([path, text]) => ({ path, text }));
    // Another program's file.
    files.push({ path: 'values.yaml', text: '- text\n', isFound: true });
    const { state } = this.#fleet;
    if (this.#isHandedOver && state !== undefined) {
      this.#fleet = newFleet();
      await this.#fleet.restore(structuredClone(state));
    }
    return this.#fleet.take(files, `v${++this.#count}`);
  }
}
