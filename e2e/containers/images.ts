import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository, scratch } from '../../src/testbed/sandbox.ts';
import type { Engine } from './engine.ts';

/** Names that the container files of `deploy/` and the manifests give their images. */
export const imageNames = {
  node: 'node:24.19.0-bookworm-slim',
  envoy: 'envoyproxy/envoy:v1.40.0',
  agent: 'mesh-agent:0.1.0',
  meshd: 'meshd:0.1.0',
  application: 'shop-web:1.0.0',
} as const;

/** Variables of an image that was made from a root file system alone. */
const searchPath = 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Makes stand-ins for the two images that the container file of the agent begins with, under their names: the Debian root file
 * system of `make setup` with Node, and the Envoy of `make setup`. Then builds the agent's image, with no network.
 */
export async function buildAgentImage(engine: Engine): Promise<void> {
  const { podman, sandbox } = engine;
  await writeFile(join(sandbox.folder, 'Containerfile.envoy'), 'FROM scratch\nCOPY envoy /usr/local/bin/envoy\n');
  const envoy = ['--file', `${scratch}/Containerfile.envoy`, '--tag', imageNames.envoy, `${repository}/.tools/bin`];
  await Promise.all([importNode(engine), podman('build', '--quiet', ...envoy)]);
  await build(engine, 'Containerfile', imageNames.agent);
}

/** Builds the image of the control plane, on the same stand-in for Node's image. */
export async function buildMeshdImage(engine: Engine): Promise<void> {
  await importNode(engine);
  await build(engine, 'meshd.Containerfile', imageNames.meshd);
}

async function importNode({ podman }: Engine): Promise<void> {
  const base = `${repository}/.tools/container-base.tar`;
  await podman('import', '--quiet', '--change', searchPath, base, `localhost/${imageNames.node}`);
}

/** A container file of `deploy/`, with no network. */
async function build({ podman }: Engine, file: string, name: string): Promise<void> {
  const options = ['--file', `${repository}/deploy/${file}`, '--tag', name, `${repository}/dist`];
  await podman('build', '--quiet', '--pull=never', '--network=none', ...options);
}

/** Builds the application: a program for Node, which is the image's one process. */
export async function buildApplicationImage({ podman, sandbox }: Engine, program: string): Promise<void> {
  const folder = join(sandbox.folder, 'application');
  await mkdir(folder);
  await writeFile(join(folder, 'web.mjs'), program);
  await writeFile(
    join(folder, 'Containerfile'),
    `FROM ${imageNames.node}\nCOPY web.mjs /srv/\nUSER 1000:1000\nENTRYPOINT ["node", "/srv/web.mjs"]\n`,
  );
  await podman('build', '--quiet', '--pull=never', '--tag', imageNames.application, `${scratch}/application`);
}
