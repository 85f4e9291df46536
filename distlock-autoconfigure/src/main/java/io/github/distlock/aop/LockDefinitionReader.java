package io.github.distlock.aop;

import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockFailureHandler;
import io.github.distlock.LockRequest;
import io.github.distlock.OnFailure;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Reads and checks annotations. All errors that can be found at start-up are found here.
 */
final class LockDefinitionReader {

	private final ConfigurableBeanFactory beanFactory;

	private final AopMode mode;

	/** For annotations with neither a fallback nor {@code SKIP}. */
	private final Supplier<@Nullable LockFailureHandler> failureHandler;

	LockDefinitionReader(ConfigurableBeanFactory beanFactory, AopMode mode,
			Supplier<@Nullable LockFailureHandler> failureHandler) {
		this.failureHandler = failureHandler;
		this.beanFactory = beanFactory;
		this.mode = mode;
	}

	LockDefinition read(LockAnnotation annotation) {
		LockedMethod method = annotation.method();
		DistributedLock attributes = annotation.attributes();
		checkReach(method);
		return new LockDefinition(method, condition(annotation), key(annotation), template(attributes, method),
				failurePolicy(attributes, method), resolve(attributes.registry()));
	}

	private LockRequest template(DistributedLock attributes, LockedMethod method) {
		String name = resolve(attributes.name());
		Duration waitTime = waitTime(attributes, method);
		Duration leaseTime = duration("leaseTime", attributes.leaseTime(), method);
		Duration minHold = duration("minHold", attributes.minHold(), method);
		Duration keep = duration("keep", attributes.keep(), method);
		Integer maxWaiting = maxWaiting(attributes, method);
		try {
			return new LockRequest(method.signature(), attributes.mode(), waitTime, leaseTime, attributes.fair(), null,
					minHold, keep, maxWaiting)
				.name(name.isEmpty() ? method.label() : name);
		}
		catch (LockDefinitionException ex) {
			throw method.refuse("has attributes that do not fit. " + ex.getMessage());
		}
	}

	private @Nullable Duration waitTime(DistributedLock attributes, LockedMethod method) {
		String text = resolve(attributes.waitTime());
		Duration waitTime = text.equals("-1") ? LockRequest.FOREVER : duration("waitTime", text, method);
		if (waitTime != null && waitTime.isNegative() && waitTime != LockRequest.FOREVER) {
			throw method.refuse("waitTime", text,
					"is negative: write \"-1\" to wait without a limit, \"0\" to try once, "
							+ "or a duration such as \"2s\"");
		}
		return waitTime;
	}

	/**
	 * Parse a duration. A number without a unit is refused: some readers would take it
	 * for milliseconds, others for seconds.
	 */
	private @Nullable Duration duration(String attribute, String written, LockedMethod method) {
		String text = resolve(written);
		if (text.isEmpty() || text.equals("0")) {
			return text.isEmpty() ? null : Duration.ZERO;
		}
		String remedy = "write a number and a unit without a space, such as \"500ms\", \"2s\", \"1m\" or \"PT2S\"";
		if (text.matches("[+-]?\\d+")) {
			throw method.refuse(attribute, text, "has no unit: " + remedy);
		}
		try {
			return DurationFormatterUtils.detectAndParse(text);
		}
		catch (IllegalArgumentException ex) {
			throw method.refuse(attribute, text, "is not a duration, or is too long: " + remedy, ex);
		}
	}

	private @Nullable Integer maxWaiting(DistributedLock attributes, LockedMethod method) {
		String value = resolve(attributes.maxWaiting());
		if (!value.matches("|0*[1-9]\\d{0,8}")) {
			throw method.refuse("maxWaiting", value, "is not a number of callers from 1 to 999999999: write one, or "
					+ "waitTime = \"0\" to let no call wait; \"\" takes distlock.max-waiting");
		}
		return value.isEmpty() ? null : Integer.valueOf(value);
	}

	private FailurePolicy failurePolicy(DistributedLock attributes, LockedMethod method) {
		boolean skip = attributes.onFailure() == OnFailure.SKIP;
		String fallback = attributes.fallback().trim();
		if (fallback.isEmpty()) {
			return skip ? SkipPolicy.of(method) : FailurePolicy.of(this.failureHandler);
		}
		if (skip) {
			throw method.refuse("fallback", fallback, "cannot be combined with onFailure = SKIP: remove one of them");
		}
		return FallbackPolicy.of(fallback, method);
	}

	private @Nullable KeyExpression key(LockAnnotation annotation) {
		LockedMethod method = annotation.method();
		String written = annotation.attributes().key();
		if (written.isEmpty()) {
			if (GeneratedClass.isGenerated(method.method().getDeclaringClass())) {
				throw method.refuse("key", "", "means the name of a generated class, which differs from JVM to JVM, so "
						+ "that each JVM would have its own lock: write a key, as in \"'order-import'\"");
			}
			return null;
		}
		String text = resolve(written);
		if (text.isEmpty()) {
			throw method.refuse("key", written, "is blank: write an expression, as in \"'order-' + #id\", or leave the "
					+ "key out to use one lock for the method");
		}
		return new KeyExpression(expression(annotation, "key", text));
	}

	private @Nullable MethodExpression condition(LockAnnotation annotation) {
		String text = resolve(annotation.attributes().condition());
		return text.isEmpty() ? null : expression(annotation, "condition", text);
	}

	private MethodExpression expression(LockAnnotation annotation, String attribute, String text) {
		return new MethodExpression(annotation.method(), attribute, text,
				new ExpressionParameters(annotation.annotated(), annotation.method().method()), this.beanFactory);
	}

	/** No proxy intercepts a static or private method. */
	private void checkReach(LockedMethod method) {
		if (this.mode != AopMode.PROXY) {
			if (method.isSuspending()) {
				throw method.refuse("is on a suspending function, which a woven class cannot lock: set "
						+ "distlock.aop.mode to proxy");
			}
			return;
		}
		int modifiers = method.method().getModifiers();
		if (Modifier.isStatic(modifiers) || Modifier.isPrivate(modifiers)) {
			throw method.refuse("is on a " + (Modifier.isStatic(modifiers) ? "static" : "private")
					+ " method: a call of it passes no proxy and would not be locked. Make it a public instance method "
					+ "and call it from another bean, or set distlock.aop.mode to aspectj");
		}
	}

	/** Resolve placeholders, as in {@code @Value}: unknown ones fail the start. */
	private String resolve(String value) {
		return Objects.requireNonNullElse(this.beanFactory.resolveEmbeddedValue(value), "").trim();
	}

}
