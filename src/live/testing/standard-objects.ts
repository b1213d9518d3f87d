/** An object of the Gateway API, of namespace `shop`, with these fields of its `spec` in flow style. */
export const standard = (kind: string, name: string, spec: string): string => `apiVersion: gateway.networking.k8s.io/v1
kind: ${kind}
metadata: {name: ${name}, namespace: shop}
spec: {${spec}}
`;

/** Lets HTTPRoutes of `shop` lead to Services of `bank`. */
export const grant = `apiVersion: gateway.networking.k8s.io/v1beta1
kind: ReferenceGrant
metadata: {name: shop, namespace: bank}
spec: {from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: shop}], to: [{group: '', kind: Service}]}
`;
