package io.github.distlock.aop;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.Set;

import io.github.distlock.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Registers what a native image must keep of a bean with locked methods: its types, in
 * which the annotations are found, the locked methods and their fallbacks, which are
 * invoked by reflection. Without the types, the methods of the image would run without a
 * lock. The types that key expressions read are registered by the application.
 * <p>
 * The class of a bean has to be known at build time. If a bean method declares an
 * interface, only the methods of the interface are known.
 */
final class LockedBeanHints implements BeanRegistrationAotProcessor {

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
		Class<?> beanClass = ClassUtils.getUserClass(bean.getBeanClass());
		if (LockAnnotationFinder.search(beanClass).isEmpty()) {
			return null;
		}
		return (generation, code) -> register(beanClass, generation.getRuntimeHints().reflection());
	}

	private static void register(Class<?> beanClass, ReflectionHints hints) {
		Set<Class<?>> types = hierarchy(beanClass);
		types.forEach((type) -> {
			hints.registerType(type);
			registerAnnotations(MergedAnnotations.from(type, SearchStrategy.DIRECT), hints);
		});
		for (Class<?> type : types) {
			for (Method method : type.getDeclaredMethods()) {
				registerAnnotations(MergedAnnotations.from(method, SearchStrategy.DIRECT), hints);
				for (LockAnnotation annotation : LockAnnotationFinder.find(method, beanClass)) {
					hints.registerMethod(method, ExecutableMode.INVOKE);
					hints.registerMethod(annotation.method().method(), ExecutableMode.INVOKE);
					registerFallbacks(annotation.attributes().fallback().trim(), beanClass, hints);
				}
			}
		}
	}

	/** The class and its super types, without those of the JDK. */
	private static Set<Class<?>> hierarchy(Class<?> beanClass) {
		Set<Class<?>> types = new LinkedHashSet<>();
		for (Class<?> type = beanClass; type != null; type = type.getSuperclass()) {
			types.add(type);
		}
		types.addAll(ClassUtils.getAllInterfacesForClassAsSet(beanClass));
		types.removeIf((type) -> type.getName().startsWith("java."));
		return types;
	}

	/** The attributes of an annotation are read by reflection. */
	private static void registerAnnotations(MergedAnnotations annotations, ReflectionHints hints) {
		annotations.stream(DistributedLock.class).forEach((found) -> {
			for (MergedAnnotation<? extends Annotation> next = found; next != null; next = next.getMetaSource()) {
				hints.registerType(next.getType(), MemberCategory.INVOKE_DECLARED_METHODS);
			}
		});
	}

	private static void registerFallbacks(String name, Class<?> beanClass, ReflectionHints hints) {
		if (!name.isEmpty()) {
			for (Method candidate : ReflectionUtils.getUniqueDeclaredMethods(beanClass)) {
				if (FallbackPolicy.isNamed(candidate, name)) {
					hints.registerMethod(candidate, ExecutableMode.INVOKE);
				}
			}
		}
	}

}
