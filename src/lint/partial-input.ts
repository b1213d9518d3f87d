import type { AnalysisOptions } from '../compiler/analyse.ts';

/**
 * How lint takes its input: as a part of a mesh. A policy kept beside its workloads is meant for their proxies, also where
 * the namespace that has them injected is declared elsewhere.
 */
export const partialInput: AnalysisOptions = { isPartial: true, presumesInjection: true };
