import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nowMs } from './measure.ts';
import { generateMesh, type MeshSize } from './mesh.ts';

/** The mesh's files, and one endpoint of it that comes and goes. */
export class MeshFolder {
  readonly config: string;
  readonly #size: MeshSize;
  readonly #aside: string;
  readonly #pod: string;
  #isReady = true;

  constructor(folder: string, size: MeshSize) {
    this.#size = size;
    this.config = join(folder, 'config');
    this.#aside = join(folder, 'aside');
    this.#pod = generateMesh(size).find(({ path }) => path === 'pod-7.yaml')?.text ?? '';
  }

  async write(): Promise<void> {
    await mkdir(this.config);
    for (const { path, text } of generateMesh(this.#size)) await writeFile(join(this.config, path), text);
  }

  /** Gives the time of the rename. */
  async flip(): Promise<number> {
    this.#isReady = !this.#isReady;
    await writeFile(this.#aside, this.#isReady ? this.#pod : this.#pod.replace('"True"', '"False"'));
    const at = nowMs();
    await rename(this.#aside, join(this.config, 'pod-7.yaml'));
    return at;
  }
}
