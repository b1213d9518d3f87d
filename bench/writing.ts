import type { Compilation } from '../src/compiler/compilation.ts';
import { planFiles } from '../src/output/plan.ts';
import { writeFiles } from '../src/output/write.ts';

/** Writes a compilation as `compile -o` does; gives the bytes written. */
export async function writeAll(compilation: Compilation, folder: string): Promise<number> {
  let bytes = 0;
  const counted = function* () {
    for (const file of planFiles(compilation, { files: [] })) {
      bytes += Buffer.byteLength(file.text);
      yield file;
    }
  };
  await writeFiles(folder, counted(), { isOurs: () => true });
  return bytes;
}
