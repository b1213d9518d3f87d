import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProxyFiles } from '../agent/reload/proxy-files.ts';

/** Folders of all proxies under `golden/ok`, sorted: `golden/ok/<case>/<namespace>/<workload>`. */
export function goldenProxies(): readonly string[] {
  return readdirSync('golden/ok', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('bootstrap.json'))
    .map((path) => join('golden/ok', path, '..'))
    .sort();
}

/** A proxy's golden files; `replace` stands for paths that only a real machine has. */
export function readGolden(folder: string, replace: (text: string) => string = (text) => text): ProxyFiles {
  const read = (path: string): string => replace(readFileSync(join(folder, path), 'utf8'));
  const routes = existsSync(join(folder, 'routes')) ? readdirSync(join(folder, 'routes')).sort() : [];
  return {
    bootstrap: read('bootstrap.json'),
    clusters: read('clusters.json'),
    listeners: read('listeners.json'),
    routes: new Map(routes.map((name) => [name, read(join('routes', name))])),
    beside: new Map(),
  };
}
