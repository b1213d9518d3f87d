import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { SourceFile } from '../../source/document.ts';
import type { Batch, OnChange, Registry } from './registry.ts';
import type { ServiceSource } from './service-source.ts';

/** After so long services are given as far as they are known. */
const usualServicesMs = 60_000;

/**
 * A registry, and sources of services beside it. It gives nothing before it has the registry's objects, and waits up to a
 * minute for services; after that, of a source that was not heard of yet, those that were in force before. No source takes
 * anything from another.
 */
export class RegistryWithServices implements Registry {
  readonly #main: Registry;
  readonly #sources: readonly ServiceSource[];
  readonly #servicesMs: number;
  #batch: Batch | undefined;
  #change: { readonly isEndpoints: boolean; readonly isUrgent: boolean } | undefined;
  #isTimeOver = false;
  #isGiven = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(main: Registry, sources: readonly ServiceSource[], servicesMs = usualServicesMs) {
    this.#main = main;
    this.#sources = sources;
    this.#servicesMs = servicesMs;
  }

  get folders(): Registry['folders'] {
    return this.#main.folders;
  }

  get figures(): Registry['figures'] {
    return [...this.#main.figures, ...this.#sources.flatMap(({ figures }) => figures)];
  }

  get revision(): Registry['revision'] {
    return this.#main.revision;
  }

  get facts(): Registry['facts'] {
    return this.#main.facts;
  }

  get rights(): Registry['rights'] {
    return this.#main.rights;
  }

  get position(): Registry['position'] {
    return this.#change === undefined ? this.#main.position : undefined;
  }

  forget(kind: string): number {
    return this.#main.forget(kind);
  }

  accept(): void {
    this.#main.accept();
  }

  async follow(onChange: OnChange): Promise<void> {
    await this.#main.follow(onChange);
    this.#timer = setTimeout(() => {
      this.#isTimeOver = true;
      onChange();
    }, this.#servicesMs);
    for (const source of this.#sources) {
      await source.start(({ isEndpoints }) => {
        this.#change = {
          isEndpoints: isEndpoints && this.#change?.isEndpoints !== false,
          isUrgent: this.#change?.isUrgent === true || (source.hasPolicies === true && !isEndpoints),
        };
        onChange();
      });
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#main.close();
    for (const source of this.#sources) source.close();
  }

  async look(bag: DiagnosticBag): Promise<Batch | undefined> {
    const own = await this.#main.look(bag);
    if (own !== undefined) this.#batch = own;
    if (this.#batch === undefined) return undefined;
    if (this.#sources.some((source) => !source.hasSynced && (!this.#isTimeOver || isMissing(source)))) return undefined;
    const isFirst = !this.#isGiven;
    if (!isFirst && own === undefined && this.#change === undefined) return undefined;
    this.#isGiven = true;
    const change = this.#change;
    this.#change = undefined;
    const files: readonly SourceFile[] = [...this.#batch.files, ...this.#sources.flatMap((source) => source.files)];
    return {
      ...this.#batch,
      files,
      isUrgent: isFirst || own?.isUrgent === true || change?.isUrgent === true,
      isEndpoints: !isFirst && own?.isEndpoints !== false && change?.isEndpoints !== false,
    };
  }
}

/** Without its policies more might be allowed than they allow: those from before are better than none. */
function isMissing({ hasPolicies, files }: ServiceSource): boolean {
  return hasPolicies === true && files.length === 0;
}
