import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultSettings } from '../../../../config/defaults.ts';
import { DiagnosticBag } from '../../../../diagnostics/bag.ts';
import { edgeTopology } from '../../../../testing/generated-edge.ts';
import { staticFormOf } from '../../../../testing/static-form.ts';
import { compile } from '../../../compile.ts';
import { type AuthorityWay, askAuthorities } from '../../testing/ask-authorities.ts';
import { isListening, startStaticEnvoy } from '../../testing/static-envoy.ts';

/** One real Envoy with the plaintext listener of a gateway, once for each set of objects. */
export interface EdgeGates {
  /** One request for each authority: the body of a 200, else the status, or `closed`. */
  ask(name: string, way: AuthorityWay, authorities: readonly string[]): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Compiles each text (YAML with a Gateway for port 80 of the workload `mesh-system/edge`) and starts Envoy with them. */
export async function startEdgeGates(objects: Readonly<Record<string, string>>): Promise<EdgeGates> {
  const folder = await mkdtemp(join(tmpdir(), 'edge-gates-'));
  const names = Object.keys(objects);
  const socketOf = (name: string): string => join(folder, `${names.indexOf(name)}.sock`);
  const listeners = names.map((name) => ({
    name,
    address: { pipe: { path: socketOf(name) } },
    filter_chains: [{ filters: compiledFilters(objects[name] ?? '') }],
  }));
  const envoy = await startStaticEnvoy(folder, { listeners });
  for (const name of names) await envoy.until(() => isListening({ path: socketOf(name) }));
  return {
    ask: (name, way, authorities) => askAuthorities(socketOf(name), way, authorities),
    close: async () => {
      await envoy.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function compiledFilters(text: string): readonly object[] {
  const bag = new DiagnosticBag();
  const options = { settings: { ...defaultSettings, accessLogFile: '' } };
  const files = [edgeTopology(), { path: 'edge-objects.yaml', text }];
  const config = compile({ ...options, files, select: [{ namespace: 'mesh-system', name: 'edge' }] }, bag)?.configs[0];
  if (config === undefined) throw new Error(bag.all.map(({ message }) => message).join('\n'));
  const { static_resources } = staticFormOf(config) as {
    static_resources: { listeners: { name: string; filter_chains: { filters: object[] }[] }[] };
  };
  return static_resources.listeners.find(({ name }) => name.endsWith('_8080'))?.filter_chains[0]?.filters ?? [];
}
