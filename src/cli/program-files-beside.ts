import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import type { SourceFile } from '../source/document.ts';

/** What Kustomize and Helm look for; Kustomize itself advises against its third name, which has no ending. */
const names = ['kustomization.yaml', 'kustomization.yml', 'Chart.yaml'];

/**
 * The files of Kustomize and Helm in the folder of each file that was named by itself, and in the one above, for patches and
 * templates have a folder of their own. They are no inputs: they may say that a file is a patch or a template.
 */
export async function programFilesBeside(files: readonly SourceFile[]): Promise<readonly SourceFile[]> {
  const given = new Set(files.map(({ path }) => path));
  const folders = new Set(
    files
      .filter(({ path, isFound }) => isFound !== true && path !== '-')
      .flatMap(({ path }) => [posix.dirname(path), posix.join(posix.dirname(path), '..')]),
  );
  const paths = [...folders].flatMap((folder) => names.map((name) => posix.join(folder, name)));
  const read = paths
    .filter((path) => !given.has(path))
    .map(async (path): Promise<readonly SourceFile[]> => {
      try {
        return [{ path, text: await readFile(path, 'utf8') }];
      } catch {
        // Most folders have none, and one that cannot be read says nothing of the inputs.
        return [];
      }
    });
  return (await Promise.all(read)).flat();
}
