import type { ObserveProxy } from '../../access/evaluate/way.ts';
import type { ExplainedWay } from '../../access/explanation.ts';
import { formatCoverageJson, formatCoverageLcov } from '../../access/report/coverage-forms.ts';
import { formatCoverageHtml } from '../../access/report/coverage-html.ts';
import { formatCoverageText } from '../../access/report/coverage-text.ts';
import { Coverage } from '../../access/suite/coverage/coverage.ts';
import { countCoverage, percentOf, percentText } from '../../access/suite/coverage/place.ts';
import type { CoverageReport } from '../../access/suite/coverage/report.ts';
import { writtenPolicies } from '../../library/covered-mesh.ts';
import { escapeMarkup } from '../../lint/formats/markup.ts';
import type { CoverageForm, CoverageMinimum } from './coverage-options.ts';
import type { OpenMesh } from './open-mesh.ts';

/** What the cases of one run cover, over all their meshes. */
export class RunCoverage {
  readonly #coverage = new Coverage();
  readonly #texts = new Map<string, string>();
  readonly #observers = new WeakMap<OpenMesh, ObserveProxy>();

  /** The observers of a mesh, whose rules count from now on. */
  observersOf(mesh: OpenMesh): ObserveProxy {
    const { world, originsOf, snapshot, files } = mesh;
    const known = this.#observers.get(mesh);
    if (known !== undefined) return known;
    for (const { path, text } of files) this.#texts.set(path, text);
    const observers = this.#coverage.add({ world, originsOf, ...writtenPolicies(snapshot, files) });
    this.#observers.set(mesh, observers);
    return observers;
  }

  countRoutes(ways: readonly ExplainedWay[]): void {
    this.#coverage.countRoutes(ways);
  }

  /** Counts what `run` shows, and forgets it again if it gives false. */
  attempt(run: () => boolean): boolean {
    return this.#coverage.attempt(run);
  }

  get report(): CoverageReport {
    return { places: this.#coverage.places, texts: this.#texts };
  }
}

/** Each form of coverage as text. */
export const coverageFormats: Readonly<Record<CoverageForm, (report: CoverageReport) => string>> = {
  text: formatCoverageText,
  json: formatCoverageJson,
  lcov: formatCoverageLcov,
  html: (report) => formatCoverageHtml(report, escapeMarkup),
};

/** A sentence for each group of which less is covered than wanted. */
export function shortfalls({ places }: CoverageReport, minimums: readonly CoverageMinimum[]): readonly string[] {
  const counts = countCoverage(places);
  return minimums.flatMap(({ group, percent }) => {
    const count = counts[group];
    if (percentOf(count) >= percent) return [];
    return [
      `coverage of ${group} is ${percentText(count)} (${count.covered} of ${count.total}), less than ${percent} % (--fail-under)`,
    ];
  });
}
