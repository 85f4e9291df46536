package io.github.distlock.aop;

import java.lang.reflect.Field;
import java.util.Set;

import jakarta.validation.ConstraintViolation;
import jakarta.validation.ConstraintViolationException;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;
import org.springframework.validation.annotation.ValidationAnnotationUtils;
import org.springframework.validation.beanvalidation.MethodValidationAdapter;
import org.springframework.validation.beanvalidation.MethodValidationInterceptor;

/**
 * The second half of Spring's method validation: validates the result of a call whose
 * arguments {@link ArgumentValidation} has validated.
 *
 * @param interceptor Spring's interceptor, which validates arguments and results
 * @param adapter the adapter of the interceptor, which validates the result
 * @param adapted whether violations are thrown as {@code MethodValidationException}
 */
record ResultValidation(MethodValidationInterceptor interceptor, MethodValidationAdapter adapter,
		boolean adapted) implements MethodInterceptor {

	/**
	 * Create the second half. If the interceptor is a subclass or its fields cannot be
	 * read, return the interceptor itself, which validates the arguments a second time:
	 * neither field is API, and a native image may not contain them.
	 */
	static MethodInterceptor of(MethodValidationInterceptor interceptor) {
		if (interceptor.getClass() == MethodValidationInterceptor.class
				&& value("validationAdapter", interceptor) instanceof MethodValidationAdapter adapter
				&& value("adaptViolations", interceptor) instanceof Boolean adapted) {
			return new ResultValidation(interceptor, adapter, adapted);
		}
		return interceptor;
	}

	private static @Nullable Object value(String name, MethodValidationInterceptor interceptor) {
		try {
			Field field = ReflectionUtils.findField(MethodValidationInterceptor.class, name);
			if (field == null) {
				return null;
			}
			ReflectionUtils.makeAccessible(field);
			return ReflectionUtils.getField(field, interceptor);
		}
		catch (RuntimeException ex) {
			return null;
		}
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		if (target == null || !ArgumentValidation.isValidatedBy(invocation, this.interceptor)) {
			return this.interceptor.invoke(invocation);
		}
		Class<?>[] groups = ValidationAnnotationUtils.determineValidationGroups(target, invocation.getMethod());
		Object result = invocation.proceed();
		if (this.adapted) {
			this.adapter.applyReturnValueValidation(target, invocation.getMethod(), null, result, groups);
		}
		else {
			Set<ConstraintViolation<Object>> violations = this.adapter.invokeValidatorForReturnValue(target,
					invocation.getMethod(), result, groups);
			if (!violations.isEmpty()) {
				throw new ConstraintViolationException(violations);
			}
		}
		return result;
	}

}
