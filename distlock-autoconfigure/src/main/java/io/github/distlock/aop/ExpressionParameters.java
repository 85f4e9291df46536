package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * The variables of an expression for the arguments of the call: {@code #a0} and
 * {@code #p0} by position, and the names of the parameters if the class file contains
 * them.
 */
final class ExpressionParameters {

	private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

	private final Map<String, Integer> positions = new LinkedHashMap<>();

	/** The variables of the fencing token, which has no value before the lock. */
	private final List<String> tokens;

	private final boolean named;

	/**
	 * Read the names.
	 * @param annotated the annotated method, {@code null} if the class is annotated: its
	 * names have precedence, because the author of the expression reads them there
	 * @param specific the method that is called
	 */
	ExpressionParameters(@Nullable Method annotated, Method specific) {
		boolean annotatedNamed = annotated != null && addNames(annotated);
		this.named = addNames(specific) || annotatedNamed || specific.getParameterCount() == 0;
		for (int i = 0; i < specific.getParameterCount(); i++) {
			this.positions.putIfAbsent("a" + i, i);
			this.positions.putIfAbsent("p" + i, i);
		}
		Integer token = FencingTokenParameter.of(specific);
		this.tokens = this.positions.keySet().stream().filter((name) -> token.equals(position(name))).toList();
		this.positions.keySet().removeAll(this.tokens);
	}

	private boolean addNames(Method method) {
		@Nullable String[] names = NAMES.getParameterNames(method);
		if (names == null) {
			return false;
		}
		for (int i = 0; i < names.length; i++) {
			String name = names[i];
			if (name != null) {
				this.positions.putIfAbsent(name, i);
			}
		}
		return true;
	}

	@Nullable Integer position(String variable) {
		return this.positions.get(variable);
	}

	boolean isToken(String variable) {
		return this.tokens.contains(variable);
	}

	/**
	 * Describe what to write instead of an unknown variable.
	 */
	String remedy() {
		if (this.positions.isEmpty()) {
			return "the method has no parameters";
		}
		String variables = "write one of #" + String.join(", #", this.positions.keySet());
		return this.named ? variables
				: "the class was compiled without parameter names: compile it with -parameters, or " + variables;
	}

}
