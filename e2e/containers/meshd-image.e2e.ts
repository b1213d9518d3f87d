import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { manifestText } from '../../src/install/manifest.ts';
import { usualInstallation } from '../../src/testing/kubernetes/apply.ts';
import { areContainersImpossible } from './containers-impossible.ts';
import { type Engine, openEngine } from './engine.ts';
import { buildMeshdImage, imageNames } from './images.ts';

interface Workload {
  readonly kind: string;
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly securityContext: { readonly runAsUser: number; readonly runAsGroup: number };
        readonly containers: readonly {
          readonly image: string;
          readonly args: readonly string[];
          readonly env: readonly { readonly name: string; readonly value?: string }[];
          readonly volumeMounts: readonly { readonly mountPath: string; readonly readOnly?: boolean }[];
          readonly securityContext: { readonly readOnlyRootFilesystem: boolean };
        }[];
      };
    };
  };
}

describe.skipIf(areContainersImpossible())('the image of meshd', () => {
  let engine: Engine;

  beforeAll(async () => {
    engine = await openEngine();
    await buildMeshdImage(engine);
  });
  afterAll(() => engine?.close());

  test('prints its version, and the manifest with all definitions', async () => {
    const version = await engine.podman('run', '--rm', imageNames.meshd, 'version', '--short');
    expect(`meshd:${version.trim()}`).toBe(imageNames.meshd);
    const manifest = await engine.podman('run', '--rm', imageNames.meshd, 'manifest');
    const { image } = containerOf(manifest);
    expect([image, manifest.match(/^kind: CustomResourceDefinition$/gm)?.length]).toEqual([imageNames.meshd, 11]);
  });

  test('has the programs of every thread', async () => {
    const list = ['run', '--rm', '--entrypoint', 'ls', imageNames.meshd, '/usr/local/lib/meshd'];
    const files = (await engine.podman(...list)).split('\n');
    expect(files).toEqual(
      expect.arrayContaining([
        'meshd-admission.cjs',
        'meshd-compile.cjs',
        'meshd-lint.cjs',
        'meshd.js',
        'package.json',
      ]),
    );
  });

  test('accepts the arguments of the Deployment, with a read-only root file system, and fails only because there is no cluster', async () => {
    const text = manifestText({ ...usualInstallation, image: imageNames.meshd });
    const { args, env, volumeMounts, user } = containerOf(text);
    const { exitCode, stdout, stderr } = await engine.tryPodman(
      ...['run', '--rm', '--read-only', '--cap-drop', 'ALL', '--user', user],
      ...env.flatMap(({ name, value = 'mesh-system' }) => ['--env', `${name}=${value}`]),
      ...volumeMounts.flatMap(({ mountPath }) => ['--tmpfs', `${mountPath}:mode=0777`]),
      ...[imageNames.meshd, ...args],
    );
    expect([exitCode, stdout + stderr]).toEqual([3, expect.stringMatching(/KUBERNETES_SERVICE_HOST/)]);
  });
});

function containerOf(text: string) {
  const objects = parseAllDocuments(text).map((document) => document.toJS() as Workload);
  const { securityContext, containers } = objects.find(({ kind }) => kind === 'Deployment')?.spec.template.spec ?? {};
  const [container] = containers ?? [];
  if (container === undefined || securityContext === undefined) throw new Error('the manifest has no Deployment');
  return { ...container, user: `${securityContext.runAsUser}:${securityContext.runAsGroup}` };
}
