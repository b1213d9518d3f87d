import { describe, expect, test } from 'vitest';
import { withFilesWatchedByName } from './file-watches.ts';

const source = (path: string, folder?: string): object => ({
  resource_api_version: 'V3',
  path_config_source: { path, ...(folder && { watched_directory: { path: folder } }) },
});

describe('withFilesWatchedByName', () => {
  test.each<[string, object, object]>([
    ['leaves the folder of a file unwatched', source('/run/lds.json', '/run'), source('/run/lds.json')],
    ['keeps a folder that is not the file’s own', source('/run/..data/a', '/run'), source('/run/..data/a', '/run')],
    ['leaves other sources as they are', { ads: {} }, { ads: {} }],
  ])('%s', (_name, lds_config, expected) => {
    const bootstrap = { node: { id: 'x' }, dynamic_resources: { lds_config, ads_config: { api_type: 'GRPC' } } };
    expect(withFilesWatchedByName(bootstrap)).toEqual({
      ...bootstrap,
      dynamic_resources: { ...bootstrap.dynamic_resources, lds_config: expected },
    });
  });
});
