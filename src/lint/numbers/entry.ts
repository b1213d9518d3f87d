import type { DiagnosticCode } from '../../diagnostics/registry.ts';

/** A number of the catalogue that has no rule of lint: the compiler says it, or nobody does, for the reason that is given. */
export type NumberWithoutRule = {
  /** `MP001`. */
  readonly id: string;
  /** What it is about, as a noun phrase. */
  readonly title: string;
  /** Codes of other tools for the same. */
  readonly peers?: readonly string[];
} & ({ readonly saidBy: readonly DiagnosticCode[] } | { readonly leftOut: string });
