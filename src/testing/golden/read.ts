import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import { fileOfText } from '../resource-files.ts';
import { type CaseFiles, wholeForm } from './stored-form.ts';

const root = 'golden/ok';
const known = new Map<string, CaseFiles>();

/** The files of a golden case as the compiler wrote them, those included that `golden/` holds only as changes to its base. */
export function goldenFiles(name: string): CaseFiles {
  const files = known.get(name) ?? wholeForm(filesBelow(join(root, name)), goldenFiles);
  known.set(name, files);
  return files;
}

/** Files below a folder by their path in it, sorted; none if there is no folder. */
export function filesBelow(folder: string): CaseFiles {
  if (!existsSync(folder)) return new Map();
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.sort().map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}

/** One proxy of a golden case. */
export interface GoldenProxy {
  /** `<case>/<namespace>/<workload>`; of several with the same files the first, and how many there are. */
  readonly name: string;
  readonly files: ProxyFiles;
}

/** The proxies of all golden cases, sorted; those for which Envoy reads the same in every byte are one. */
export function distinctGoldenProxies(): readonly GoldenProxy[] {
  const byContent = new Map<string, GoldenProxy[]>();
  for (const name of readdirSync(root).sort()) {
    for (const proxy of goldenProxies(name)) {
      const { bootstrap, clusters, listeners, routes } = proxy.files;
      const files = [...routes].map(([path, { text }]) => [path, text]);
      const content = JSON.stringify([bootstrap, clusters.text, listeners.text, files]);
      const same = byContent.get(content);
      if (same === undefined) byContent.set(content, [proxy]);
      else same.push(proxy);
    }
  }
  return [...byContent.values()].flatMap(([first, ...same]) =>
    first === undefined
      ? []
      : { ...first, name: same.length === 0 ? first.name : `${first.name} and ${same.length} equal` },
  );
}

/** The proxies of one golden case. */
export function goldenProxies(name: string): readonly GoldenProxy[] {
  const files = goldenFiles(name);
  return [...files.keys()]
    .filter((path) => path.endsWith('/bootstrap.json'))
    .sort()
    .map((path) => {
      const folder = path.slice(0, -'/bootstrap.json'.length);
      return { name: `${name}/${folder}`, files: proxyFiles(files, `${folder}/`) };
    });
}

function proxyFiles(files: CaseFiles, folder: string): ProxyFiles {
  const text = (path: string): string => {
    const found = files.get(folder + path);
    if (found === undefined) throw new Error(`a golden has no ${folder}${path}`);
    return found;
  };
  const inRoutes = [...files].filter(([path]) => path.startsWith(`${folder}routes/`)).sort();
  return {
    bootstrap: JSON.parse(text('bootstrap.json')),
    clusters: fileOfText(text('clusters.json')),
    listeners: fileOfText(text('listeners.json')),
    routes: new Map(inRoutes.map(([path, route]) => [path.slice(`${folder}routes/`.length), fileOfText(route)])),
    beside: new Map([['origins.json', text('origins.json')]]),
  };
}
