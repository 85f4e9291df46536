package io.github.distlock.autoconfigure;

import io.github.distlock.LockMdc;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;

/**
 * Switches the MDC entries on for as long as its application context lives, if the
 * properties say so.
 */
final class LockMdcSwitch implements InitializingBean, DisposableBean {

	private final boolean enabled;

	LockMdcSwitch(boolean enabled) {
		this.enabled = enabled;
	}

	@Override
	public void afterPropertiesSet() {
		if (this.enabled) {
			LockMdc.enable();
		}
	}

	@Override
	public void destroy() {
		if (this.enabled) {
			LockMdc.disable();
		}
	}

}
