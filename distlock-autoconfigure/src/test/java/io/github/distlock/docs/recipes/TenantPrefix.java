package io.github.distlock.docs.recipes;

import io.github.distlock.LockKeyPrefix;

import org.springframework.stereotype.Component;

@Component
class TenantPrefix implements LockKeyPrefix {

	static final ThreadLocal<String> TENANT = ThreadLocal.withInitial(() -> "shared"); // yours

	@Override
	public String compute(String key) {
		return TENANT.get();
	}

}
