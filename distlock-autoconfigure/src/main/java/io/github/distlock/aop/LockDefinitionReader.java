package io.github.distlock.aop;

import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Supplier;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockFailureHandler;
import io.github.distlock.LockRequest;
import io.github.distlock.OnFailure;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.env.Environment;

/**
 * Reads and checks annotations. All errors that can be found at start-up are found here.
 */
final class LockDefinitionReader {

	private final ConfigurableBeanFactory beanFactory;

	private final Environment environment;

	private final AopMode mode;

	/** For annotations with neither a fallback nor {@code SKIP}. */
	private final Supplier<@Nullable LockFailureHandler> failureHandler;

	LockDefinitionReader(ConfigurableBeanFactory beanFactory, Environment environment, AopMode mode,
			Supplier<@Nullable LockFailureHandler> failureHandler) {
		this.failureHandler = failureHandler;
		this.beanFactory = beanFactory;
		this.environment = environment;
		this.mode = mode;
	}

	LockDefinition read(LockAnnotation annotation) {
		LockedMethod method = annotation.method();
		DistributedLock attributes = annotation.attributes();
		checkReach(method);
		ReturnKind returnKind = ReturnKind.of(method);
		ResultTypeCheck.check(method, annotation.isOnClass());
		String registry = resolve("registry", attributes.registry(), method);
		return new LockDefinition(method, returnKind, condition(annotation), key(annotation),
				template(attributes, method), failurePolicy(attributes, method), registry.trim());
	}

	private LockRequest template(DistributedLock attributes, LockedMethod method) {
		String name = resolve("name", attributes.name(), method);
		String waitTime = resolve("waitTime", attributes.waitTime(), method);
		String leaseTime = resolve("leaseTime", attributes.leaseTime(), method);
		String minHold = resolve("minHold", attributes.minHold(), method);
		Duration lease = DurationAttribute.leaseTime(leaseTime, method);
		LockRequest request = new LockRequest("", attributes.mode(), DurationAttribute.waitTime(waitTime, method),
				lease, attributes.fair(), name.isBlank() ? method.label() : name,
				DurationAttribute.minHold(minHold, lease, method), null, maxWaiting(attributes, method));
		String keep = resolve("keep", attributes.keep(), method);
		return keeping(request, keep, DurationAttribute.keep(keep, method), method);
	}

	private @Nullable Integer maxWaiting(DistributedLock attributes, LockedMethod method) {
		String value = resolve("maxWaiting", attributes.maxWaiting(), method).trim();
		if (!value.matches("|0*[1-9]\\d{0,8}")) {
			throw method.refuse("maxWaiting", value, "is not a number of callers from 1 to 999999999: write one, or "
					+ "waitTime = \"0\" to let no call wait; \"\" takes distlock.max-waiting");
		}
		return value.isEmpty() ? null : Integer.valueOf(value);
	}

	private static LockRequest keeping(LockRequest request, String value, @Nullable Duration keep,
			LockedMethod method) {
		String obstacle = request.obstacleToKeeping();
		if (keep != null && !keep.isZero() && obstacle != null) {
			throw method.refuse("keep", value, "cannot be combined with " + obstacle
					+ ", since such a lock is never kept after its release: remove one of them");
		}
		return (keep != null) ? request.keep(keep) : request;
	}

	private FailurePolicy failurePolicy(DistributedLock attributes, LockedMethod method) {
		boolean skip = attributes.onFailure() == OnFailure.SKIP;
		String fallback = attributes.fallback().trim();
		if (fallback.isEmpty()) {
			return skip ? SkipPolicy.of(method) : new HandlerPolicy(this.failureHandler, method);
		}
		if (skip) {
			throw method.refuse("fallback", fallback, "cannot be combined with onFailure = SKIP: remove one of them");
		}
		return FallbackPolicy.of(fallback, method);
	}

	private KeySource key(LockAnnotation annotation) {
		LockedMethod method = annotation.method();
		String written = annotation.attributes().key();
		if (written.isEmpty()) {
			return methodKey(method);
		}
		String text = resolve("key", written, method);
		if (text.isBlank()) {
			throw method.refuse("key", written, "is blank: write an expression, as in \"'order-' + #id\", or leave the "
					+ "key out to use one lock for the method");
		}
		return new KeySource.KeyExpression(new MethodExpression.Source(method, "key", text), parameters(annotation),
				this.beanFactory);
	}

	private Condition condition(LockAnnotation annotation) {
		LockedMethod method = annotation.method();
		String text = resolve("condition", annotation.attributes().condition(), method);
		if (text.isBlank()) {
			return Condition.ALWAYS;
		}
		return new Condition.ConditionExpression(new MethodExpression.Source(method, "condition", text),
				parameters(annotation), this.beanFactory);
	}

	/** An expression uses the parameter names of the annotated method. */
	private static ExpressionParameters parameters(LockAnnotation annotation) {
		return new ExpressionParameters(annotation.annotated(), annotation.method().method());
	}

	private static KeySource methodKey(LockedMethod method) {
		if (GeneratedClass.isGenerated(method.userMethod().getDeclaringClass())) {
			throw method.refuse("key", "", "means the name of a generated class, which differs from JVM to JVM, so "
					+ "that each JVM would have its own lock: write a key, as in \"'order-import'\"");
		}
		String key = method.signature();
		if (key.getBytes(StandardCharsets.UTF_8).length > LockRequest.MAXIMUM_KEY_BYTES) {
			throw method.refuse("key", "",
					"means the key " + key + ", which is longer than the " + LockRequest.MAXIMUM_KEY_BYTES
							+ " bytes that a key can have: write a key, as in \"'order-import'\"");
		}
		return new KeySource.MethodKey(key);
	}

	/** No proxy intercepts a static or private method. */
	private void checkReach(LockedMethod method) {
		if (this.mode != AopMode.PROXY) {
			if (SuspendingFunction.is(method.method())) {
				throw method.refuse("is on a suspending function, which a woven class cannot lock: set "
						+ "distlock.aop.mode to proxy");
			}
			return;
		}
		int modifiers = method.method().getModifiers();
		if (Modifier.isStatic(modifiers)) {
			throw method.refuse("is on a static method: a call of it passes no proxy and would not be locked. Make it "
					+ "an instance method of the bean, or set distlock.aop.mode to aspectj");
		}
		if (Modifier.isPrivate(modifiers)) {
			throw method.refuse("is on a private method: a call of it passes no proxy and would not be locked. Make it "
					+ "public and call it from another bean, or set distlock.aop.mode to aspectj");
		}
	}

	/**
	 * Resolve the placeholders of an attribute. Strict: an unknown placeholder would
	 * otherwise become part of a key.
	 */
	private String resolve(String attribute, String value, LockedMethod method) {
		if (!value.contains("${")) {
			return value;
		}
		try {
			return this.environment.resolveRequiredPlaceholders(value);
		}
		catch (IllegalArgumentException ex) {
			return resolveEmbedded(attribute, value, method, ex);
		}
	}

	/**
	 * A PropertySourcesPlaceholderConfigurer may have properties that the environment
	 * does not have.
	 */
	private String resolveEmbedded(String attribute, String value, LockedMethod method,
			IllegalArgumentException unresolved) {
		LockDefinitionException refusal = method.refuse(attribute, value, "has a placeholder that cannot be resolved ("
				+ unresolved.getMessage() + "): set the property, or give a default as in ${name:default}", unresolved);
		try {
			String resolved = this.beanFactory.resolveEmbeddedValue(value);
			if (resolved == null || resolved.contains("${")) {
				throw refusal;
			}
			return resolved;
		}
		catch (IllegalArgumentException ex) {
			throw refusal;
		}
	}

}
