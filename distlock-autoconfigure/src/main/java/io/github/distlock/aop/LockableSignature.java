package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

/**
 * Refuses methods that cannot be locked, whatever proxy their bean gets, or however they
 * are woven.
 */
final class LockableSignature {

	private LockableSignature() {
	}

	static void check(LockedMethod where, AopMode mode) {
		if (mode == AopMode.PROXY) {
			checkReach(where);
		}
	}

	private static void checkReach(LockedMethod where) {
		Method method = where.method();
		if (Modifier.isStatic(method.getModifiers())) {
			throw where.refuse("is on a static method: a call of it passes no proxy and would not be locked. Make it "
					+ "an instance method of the bean, or set distlock.aop.mode to aspectj");
		}
		if (Modifier.isPrivate(method.getModifiers())) {
			throw where.refuse("is on a private method: a call of it passes no proxy and would not be locked. Make it "
					+ "public and call it from another bean, or set distlock.aop.mode to aspectj");
		}
	}

}
