import type { CompiledFiles } from '../../contracts/compile-result.ts';
import type { ProxyFiles } from '../../contracts/proxy-files.ts';

/**
 * The configuration that Envoy is started with, or was last told. Nobody else keeps one: what a later one replaces, in a
 * big mesh tens of megabytes with all that it was compiled from, is free then.
 */
export class ActiveConfig {
  #files: ProxyFiles;
  #accept: (() => void) | undefined;

  constructor({ files, accept }: Pick<CompiledFiles, 'files' | 'accept'>) {
    this.#files = files;
    this.#accept = accept;
  }

  get files(): ProxyFiles {
    return this.#files;
  }

  /** With a configuration whose inputs are accepted by whoever compiled it. */
  replace(files: ProxyFiles): void {
    this.#files = files;
    this.#accept = undefined;
  }

  /** Accepts the inputs of the first configuration, once, unless it was replaced. */
  acceptFirst(): void {
    const accept = this.#accept;
    this.#accept = undefined;
    accept?.();
  }
}
