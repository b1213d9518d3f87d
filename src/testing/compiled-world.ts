import { liftProxy } from '../access/lift-proxy.ts';
import { keyOf, type World } from '../access/world.ts';
import type { Compilation } from '../compiler/compilation.ts';
import { createCompiler } from '../compiler/compile.ts';
import type { Resource } from '../compiler/render/resource.ts';
import { defaultSettings } from '../config/defaults.ts';
import type { Settings } from '../config/settings.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { createKeySetGatherer } from '../live/key-sets/gather.ts';

/** The mesh of these YAML texts, compiled for every proxy and lifted; throws where they have errors. No key set is at hand. */
export function compiledWorld(texts: readonly string[], settings: Partial<Settings> = {}): World {
  const { compiler, objects, bag } = readTexts(texts, settings);
  return lifted(compiler.compileObjects(objects, 'all', bag), bag);
}

/** The same with the key sets that the texts themselves contain. */
export async function compiledWithKeySets(texts: readonly string[], settings: Partial<Settings> = {}): Promise<World> {
  const { compiler, objects, bag } = readTexts(texts, settings);
  const keySets = await createKeySetGatherer().gather(objects, bag);
  return lifted(compiler.compileObjects(objects, 'all', bag, keySets), bag);
}

function readTexts(texts: readonly string[], settings: Partial<Settings>) {
  const bag = new DiagnosticBag();
  const compiler = createCompiler({ settings: { ...defaultSettings, ...settings } });
  const files = texts.map((text, i) => ({ path: `${i}.yaml`, text }));
  return { compiler, objects: compiler.read(files, bag), bag };
}

function lifted(compilation: Compilation | undefined, bag: DiagnosticBag): World {
  if (compilation === undefined) throw new Error(bag.all.map(({ message }) => message).join('; '));
  const json = (all: readonly Resource[]): readonly Resource['json'][] => all.map((one) => one.json);
  const proxies = compilation.configs.map(({ namespace, workload, listeners, routes, clusters }) => {
    const proxy = liftProxy({ listeners: json(listeners), routes: json(routes), clusters: json(clusters) });
    return [keyOf({ namespace, name: workload }), proxy] as const;
  });
  return { mesh: compilation.mesh, proxies: new Map(proxies) };
}
