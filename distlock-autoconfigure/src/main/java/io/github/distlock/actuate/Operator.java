package io.github.distlock.actuate;

import java.security.Principal;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * What asks for an operation that changes the store.
 *
 * @param principal the name of the user, {@code null} if it is not known
 * @param mask what the user sees
 */
record Operator(@Nullable String principal, ValueMask mask) {

	static Operator of(SecurityContext securityContext, ValueMasks masks) {
		Principal principal = securityContext.getPrincipal();
		return new Operator((principal != null) ? principal.getName() : null, masks.of(securityContext));
	}

}
