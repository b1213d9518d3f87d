import { join } from 'node:path';
import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { readNamedText } from '../lib/read-file.ts';
import type { SourceFile } from '../source/document.ts';
import { type ReadSettings, type SettingsTexts, settingsOf } from './settings-of.ts';

export interface SettingsOptions extends Pick<SettingsTexts, 'environment' | 'flags' | 'annotation'> {
  /** File of the mesh configuration; a missing file is an error only when the user named it. */
  readonly meshConfig?: { readonly path: string; readonly isRequired: boolean } | undefined;
  /** Folder whose file `annotations` holds the annotations of the pod; the file may be absent. */
  readonly podInfo?: string | undefined;
}

/** The settings, of files too. Mistakes go to the bag; an unreadable file is thrown. */
export async function readSettings(
  { meshConfig, podInfo, ...texts }: SettingsOptions,
  bag: DiagnosticBag,
): Promise<ReadSettings & { /** Whether `podInfo` has a file of annotations. */ readonly hasAnnotations: boolean }> {
  const config = meshConfig && (await readMeshConfig(meshConfig));
  const podAnnotations = podInfo === undefined ? undefined : await readAnnotations(podInfo);
  const read = settingsOf({ ...texts, meshConfig: config, podAnnotations }, bag);
  return { ...read, hasAnnotations: podAnnotations !== undefined };
}

/** The file of the mesh configuration; undefined where it is absent and may be. An unreadable one is thrown. */
export async function readMeshConfig({
  path,
  isRequired,
}: NonNullable<SettingsOptions['meshConfig']>): Promise<SourceFile | undefined> {
  try {
    return { path, text: await readNamedText(path, 'utf8') };
  } catch (cause) {
    if (!isRequired && (cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`cannot read the mesh configuration "${path}"`, { cause });
  }
}

async function readAnnotations(podInfo: string): Promise<SourceFile | undefined> {
  const path = join(podInfo, 'annotations');
  try {
    return { path, text: await readNamedText(path, 'utf8') };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`cannot read the annotations of the pod "${path}"`, { cause });
  }
}
