import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { compileFixture, fixtureNames, readFixture } from '../../testing/fixture.ts';
import type { EnvoyConfig } from './resource.ts';
import { loadTemplates } from './templates.ts';

describe('the functions that are made of the templates', () => {
  const names = fixtureNames('fixtures/ok');

  test.each(names)('build for %s what Handlebars writes', async (name) => {
    const fixture = await readFixture('fixtures/ok', name);
    if (fixture.templates !== undefined) return;
    // No file takes the place of one of ours, but all of them run in Handlebars.
    const templates = await loadTemplates([], new DiagnosticBag());
    const written = compileFixture({ ...fixture, templates });
    expect(contentOf(compileFixture(fixture)?.configs)).toEqual(contentOf(written?.configs));
  });
});

/** JSON text, so that the order of fields counts. */
function contentOf(configs: readonly EnvoyConfig[] = []): string[] {
  const resources = configs.flatMap(({ bootstrap, listeners, clusters, routes }) => [
    bootstrap,
    ...listeners,
    ...clusters,
    ...routes,
  ]);
  return resources.map(
    ({ text, origins }) => text + origins.map(({ path, decidedBy }) => `\n${path} ${decidedBy.length}`),
  );
}
