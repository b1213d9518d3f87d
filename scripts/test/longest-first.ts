import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take half a minute and more, but are small: by size they would begin last, and end when other workers are idle. */
export const longest: readonly string[] = [
  'e2e/served/outcome-table.e2e.ts',
  'e2e/demo/demo.e2e.ts',
  'e2e/demo/virtual-machines.e2e.ts',
  'e2e/attack/normalization.e2e.ts',
  'e2e/cluster/cluster.e2e.ts',
  'src/control/registry/cluster/faults.e2e.ts',
];

/** Vitest's order of the test files, but in each phase the longest come first: it goes by size where no earlier run tells more. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const phase = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
    const rank = ({ moduleId }: TestSpecification): number =>
      longest.some((file) => moduleId.endsWith(`/${file}`)) ? 0 : 1;
    return (await super.sort(files)).sort((a, b) => phase(a) - phase(b) || rank(a) - rank(b));
  }
}
