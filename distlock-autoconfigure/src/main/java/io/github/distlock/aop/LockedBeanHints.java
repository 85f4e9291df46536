package io.github.distlock.aop;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
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
		for (Class<?> type : hierarchy(beanClass)) {
			hints.registerType(type);
			registerAnnotations(type, hints);
			for (Method method : type.getDeclaredMethods()) {
				hints.registerMethod(method, ExecutableMode.INVOKE);
				registerAnnotations(method, hints);
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
	private static void registerAnnotations(AnnotatedElement element, ReflectionHints hints) {
		MergedAnnotations.from(element, SearchStrategy.DIRECT).stream(DistributedLock.class).forEach((found) -> {
			for (MergedAnnotation<? extends Annotation> next = found; next != null; next = next.getMetaSource()) {
				hints.registerType(next.getType(), MemberCategory.INVOKE_DECLARED_METHODS);
			}
		});
	}

}
