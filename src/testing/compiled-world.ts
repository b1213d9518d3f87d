import { liftProxy } from '../access/lift-proxy.ts';
import { keyOf, type World } from '../access/world.ts';
import { createCompiler } from '../compiler/compile.ts';
import type { Resource } from '../compiler/render/resource.ts';
import { defaultSettings } from '../config/defaults.ts';
import type { Settings } from '../config/settings.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';

/** The mesh of these YAML texts, compiled for every proxy and lifted; throws where they have errors. */
export function compiledWorld(texts: readonly string[], settings: Partial<Settings> = {}): World {
  const bag = new DiagnosticBag();
  const compiler = createCompiler({ settings: { ...defaultSettings, ...settings } });
  const objects = compiler.read(
    texts.map((text, i) => ({ path: `${i}.yaml`, text })),
    bag,
  );
  const compilation = compiler.compileObjects(objects, 'all', bag);
  if (compilation === undefined) throw new Error(bag.all.map(({ message }) => message).join('; '));
  const json = (all: readonly Resource[]): readonly Resource['json'][] => all.map((one) => one.json);
  const proxies = compilation.configs.map(({ namespace, workload, listeners, routes, clusters }) => {
    const lifted = liftProxy({ listeners: json(listeners), routes: json(routes), clusters: json(clusters) });
    return [keyOf({ namespace, name: workload }), lifted] as const;
  });
  return { mesh: compilation.mesh, proxies: new Map(proxies) };
}
