import type { SourceFile } from '../../source/document.ts';
import { contentVersion } from '../../xds/resource.ts';

/** Computes versions of inputs: digests of their content. An unchanged file is not digested again. */
export class InputsVersion {
  readonly #digests = new WeakMap<SourceFile, string>();

  /** Of the files in this order: the same of the same paths and texts. */
  of(files: readonly SourceFile[]): string {
    return contentVersion(files.map((file) => this.#digestOf(file)).join());
  }

  #digestOf(file: SourceFile): string {
    let digest = this.#digests.get(file);
    if (digest === undefined) {
      digest = contentVersion(file.path, file.text);
      this.#digests.set(file, digest);
    }
    return digest;
  }
}
