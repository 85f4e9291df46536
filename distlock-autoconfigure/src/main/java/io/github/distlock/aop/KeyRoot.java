package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * {@code #root} of a key expression. Method and class are those that the application's
 * author has written, never those of a proxy, a lambda or another generated class.
 */
final class KeyRoot {

	/** What can be read from it, with or without {@code #root} before it. */
	static final Set<String> PROPERTIES = Set.of("method", "methodName", "target", "targetClass", "args");

	private final LockedMethod where;

	private final @Nullable Object target;

	private final @Nullable Object[] args;

	KeyRoot(LockedMethod where, @Nullable Object target, @Nullable Object[] args) {
		this.where = where;
		this.target = target;
		this.args = args;
	}

	public Method getMethod() {
		return this.where.named();
	}

	public String getMethodName() {
		return this.where.method().getName();
	}

	public @Nullable Object getTarget() {
		return this.target;
	}

	public Class<?> getTargetClass() {
		return this.where.namedClass();
	}

	public @Nullable Object[] getArgs() {
		return this.args;
	}

}
