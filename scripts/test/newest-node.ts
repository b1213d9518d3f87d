/**
 * Patterns of unit test files that run on the newest Node alone. They take long, and what they show beside the tests of the same
 * code that run on the oldest Node too (of the compiler all expected outputs, of lint each rule) is of no version of Node: that
 * parts of the product agree with each other, with documents, or with what a shorter way of compiling gives.
 */
export const onNewestNode: readonly string[] = [
  'src/compiler/{update,seeded-staleness,predicates,fewer-endpoints}.test.ts',
  'src/compiler/render/built-in.test.ts',
  'src/control/push/same-bytes.test.ts',
  'src/live/fleet-histories.test.ts',
  'src/injection/outline.test.ts',
  'src/lint/{judges-each,quiet}.test.ts',
  'src/library/{published-schemas,page-examples}.test.ts',
  'src/access/gaps.test.ts',
];
