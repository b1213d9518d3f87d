import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * The folder that every proxy watches. A change is complete when the marker is read: its name is new each time, it is
 * written last, and the compiler lists it in mesh.json as a workload that nothing selects.
 */
export interface PolicyFolder {
  /** Its name in the parent folder. */
  readonly name: string;
  /** Writes and removes files, each by one rename, and gives the marker's name. */
  change(files: Readonly<Record<string, string>>, removed?: readonly string[]): Promise<string>;
}

/** Makes `parent/mesh` with these first files. */
export async function createPolicyFolder(
  parent: string,
  first: Readonly<Record<string, string>>,
): Promise<PolicyFolder> {
  const name = 'mesh';
  const path = join(parent, name);
  // Files are made beside the folder, so that a proxy sees them only whole.
  const beside = join(parent, 'unfinished');
  await mkdir(path);
  const place = async (file: string, text: string): Promise<void> => {
    await writeFile(beside, text, { mode: 0o644 });
    await mkdir(dirname(join(path, file)), { recursive: true });
    await rename(beside, join(path, file));
  };
  let changes = 0;
  const change: PolicyFolder['change'] = async (files, removed = []) => {
    for (const [file, text] of Object.entries(files)) await place(file, text);
    for (const file of removed) await rm(join(path, file));
    const marker = `change-${changes++}`;
    await place('marker.yaml', markerPod(marker));
    return marker;
  };
  await change(first);
  return { name, change };
}

function markerPod(name: string): string {
  return [
    'apiVersion: v1',
    'kind: Pod',
    'metadata:',
    `  name: ${name}`,
    '  namespace: testbed',
    '  annotations:',
    '    sidecar.mesh.io/inject: "false"',
    'spec:',
    '  containers: []',
    '',
  ].join('\n');
}
