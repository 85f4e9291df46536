package io.github.distlock.aop;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Recognizes mocks of Mockito. Mockito need not be on the class path.
 */
final class MockObjects {

	private static final String MOCKITO = "org.mockito.Mockito";

	private MockObjects() {
	}

	/**
	 * Return whether an object is a mock. If Mockito fails, there are no mocks.
	 */
	static boolean isMock(Object bean, @Nullable ClassLoader classLoader) {
		if (!ClassUtils.isPresent(MOCKITO, classLoader)) {
			return false;
		}
		try {
			Class<?> mockito = ClassUtils.resolveClassName(MOCKITO, classLoader);
			return isMock(bean, mockito);
		}
		catch (RuntimeException | LinkageError ex) {
			return false;
		}
	}

	private static boolean isMock(Object bean, Class<?> mockito) {
		Method details = ClassUtils.getMethodIfAvailable(mockito, "mockingDetails", Object.class);
		Object answer = (details != null) ? ReflectionUtils.invokeMethod(details, null, bean) : null;
		Method isMock = (details != null) ? ClassUtils.getMethodIfAvailable(details.getReturnType(), "isMock") : null;
		return answer != null && isMock != null && Boolean.TRUE.equals(ReflectionUtils.invokeMethod(isMock, answer));
	}

}
