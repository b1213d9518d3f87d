import type { HeaderChangesIR, HeaderValueIR } from '../ir/header-changes.ts';

/** Fields that Envoy's `Route` and `ClusterWeight` share; those without members are absent. */
export interface HeaderChangesView {
  readonly requestHeadersToAdd?: readonly object[];
  readonly requestHeadersToRemove?: readonly string[];
  readonly responseHeadersToAdd?: readonly object[];
  readonly responseHeadersToRemove?: readonly string[];
}

export function headerChangesView(
  request: HeaderChangesIR | undefined,
  response: HeaderChangesIR | undefined,
): HeaderChangesView {
  return {
    ...(request?.add.length ? { requestHeadersToAdd: request.add.map(headerValueOption) } : {}),
    ...(request?.remove.length ? { requestHeadersToRemove: request.remove } : {}),
    ...(response?.add.length ? { responseHeadersToAdd: response.add.map(headerValueOption) } : {}),
    ...(response?.remove.length ? { responseHeadersToRemove: response.remove } : {}),
  };
}

/** Envoy's `HeaderValueOption`; without the last field an empty value would not be sent. */
function headerValueOption({ name, value, overwrites }: HeaderValueIR): object {
  return {
    header: { key: name, value },
    append_action: overwrites ? 'OVERWRITE_IF_EXISTS_OR_ADD' : 'APPEND_IF_EXISTS_OR_ADD',
    ...(value === '' ? { keep_empty_value: true } : {}),
  };
}
