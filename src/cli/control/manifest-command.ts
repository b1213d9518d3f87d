import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readSettings } from '../../config/read.ts';
import { defineKind } from '../../definitions/define-kind.ts';
import { definedKinds } from '../../definitions/defined-kinds.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import { chartFiles } from '../../install/chart.ts';
import { manifestOrder, manifestText } from '../../install/manifest.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { replaceFile } from '../../lib/replace-file.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { version } from '../../lib/version.ts';
import { textOf } from '../../output/format.ts';
import { type ExitCode, exitCode } from '../exit-codes.ts';
import { printOut } from '../io.ts';

export interface ManifestOptions {
  readonly namespace?: string;
  readonly revision: string;
  readonly image: string;
  readonly replicas: number;
  readonly meshConfig?: string;
  readonly crds: boolean;
  readonly namespaceObject: boolean;
  readonly helm?: string;
}

const usualMeshConfig = 'accessLogFile: /dev/stdout\n';

/** `meshd manifest`: what installs `meshd` in a cluster, as YAML for kubectl, or as the files of a Helm chart. */
export async function runManifest(options: ManifestOptions): Promise<ExitCode> {
  const meshConfig = options.meshConfig === undefined ? usualMeshConfig : await readMeshConfig(options.meshConfig);
  const { namespace = 'mesh-system', helm } = options;
  if (helm !== undefined && options.namespace !== undefined)
    throw new UsageError('a Helm chart has no --namespace: name it to helm install');
  const settings = { ...options, namespace, meshConfig };
  const definitions = options.crds ? definitionTexts() : {};
  if (helm === undefined) {
    const parts = manifestOrder.filter((part) => part !== 'namespace' || options.namespaceObject);
    await printOut([...Object.values(definitions), manifestText(settings, parts)].join('---\n'));
    return exitCode.done;
  }
  for (const { path, text } of chartFiles({ ...settings, version, definitions })) {
    const file = join(helm, path);
    await makeFolder(dirname(file), 0o777);
    await replaceFile(file, text, 0o644);
  }
  return exitCode.done;
}

/** The file as it is, if `meshd` would take it. */
async function readMeshConfig(path: string): Promise<string> {
  const bag = new DiagnosticBag();
  const { sources } = await readSettings({ meshConfig: { path, isRequired: true }, environment: {} }, bag);
  if (bag.hasErrors) {
    throw new UsageError(`the mesh configuration is invalid:\n${format(bag.all, sources, 'text').trimEnd()}`);
  }
  return await readFile(path, 'utf8');
}

function definitionTexts(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    definedKinds.map((kind) => [`${kind.plural}.${kind.group}`, textOf(defineKind(kind), 'yaml')]),
  );
}
