import { readFile } from 'node:fs/promises';
import type { InjectionInputs } from '../../injection/settings.ts';
import type { KubernetesApi } from '../../kubernetes/api.ts';
import { delay } from '../../lib/abort.ts';
import type { PlainLog } from '../../lib/log.ts';
import { watchPaths } from '../../watch/watch.ts';
import { Attempts } from '../leader/attempts.ts';

/** What injection is configured by. */
export interface InjectionConfig {
  /** Path of the mesh configuration. */
  readonly meshConfig: { readonly path: string; readonly isRequired: boolean } | undefined;
  /** Templates of the user's own: files by the names that pods call them. */
  readonly templates: readonly { readonly name: string; readonly path: string }[];
  readonly trustDomain: string;
}

/** Kubernetes starts and ends native sidecars by itself from this minor version of 1 on. */
const nativeSidecarsFrom = 29;
const retryMs = 2_000;
const deadlineMs = 10_000;

export interface FollowedInputs {
  readonly revision: string;
  readonly ownNamespace: string;
  readonly api: KubernetesApi;
  readonly log: PlainLog;
  /** Told of the inputs as they are, and of each change. */
  readonly use: (inputs: InjectionInputs) => void;
}

/** Follows the files, once the server has said what it knows of sidecars. */
export async function followInjectionInputs(
  { meshConfig, templates, trustDomain }: InjectionConfig,
  { revision, ownNamespace, api, log, use }: FollowedInputs,
): Promise<{ close(): void }> {
  const ended = new AbortController();
  const native = knowsNativeSidecars(api, log, ended.signal);
  const read = async (): Promise<void> => {
    const prefersNative = await native;
    if (prefersNative === undefined) return;
    const textOf = async (path: string) => ({ path, text: await readFile(path, 'utf8') });
    try {
      use({
        ...{ revision, ownNamespace, trustDomain, prefersNative },
        meshConfig:
          meshConfig && (await textOf(meshConfig.path).catch((error) => absent(error, meshConfig.isRequired))),
        templates: await Promise.all(templates.map(async ({ name, path }) => ({ name, file: await textOf(path) }))),
      });
    } catch (error) {
      log.error('the settings of injection stay as they were', { reason: (error as Error).message });
    }
  };
  let reading = read();
  const onChange = (): void => {
    reading = reading.then(read);
  };
  const paths = [...(meshConfig === undefined ? [] : [meshConfig.path]), ...templates.map(({ path }) => path)];
  const watch = await watchPaths(paths, { onChange });
  return {
    close: () => {
      ended.abort();
      watch.close();
    },
  };
}

/** The default file may be absent. */
function absent(error: NodeJS.ErrnoException, isRequired: boolean): undefined {
  if (isRequired || error.code !== 'ENOENT') throw error;
  return undefined;
}

async function knowsNativeSidecars(
  api: KubernetesApi,
  log: PlainLog,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const asking = new Attempts(log, 'the API server does not tell its version; no pod gets a proxy meanwhile');
  let minor: number | undefined;
  while (!signal.aborted) {
    const isDone = await asking.make(async () => {
      const version = await api.ask<{ readonly minor?: string }>({ path: '/version', signal, deadlineMs });
      minor = Number.parseInt(version.minor ?? '', 10);
    });
    if (isDone) return minor !== undefined && minor >= nativeSidecarsFrom;
    await delay(retryMs, signal);
  }
  return undefined;
}
