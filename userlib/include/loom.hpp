/* SPDX-License-Identifier: MIT */
/*
 * Loom for C++17: owners that release what they hold, exceptions with the library's line, views
 * instead of a pointer and a count. A thin layer: c() of each class is the object of C, and all
 * functions of the C headers can be used beside it.
 *
 *	loom::program program(loom::graph("model.onnx"), loom::chip("soft"));
 *	loom::session session(program, loom::target("host", program.chip()));
 *
 *	session.set_input(0, pixels);
 *	session.run();
 *	for (float score : session.output(0).as<float>())
 *		...
 *
 * Owners are moved and not copied. Objects keep the objects that they need alive: a session its
 * program and its target, a program its graph. Threads: as in C, see loom_run.h.
 *
 * Exceptions: loom::error is a failure of the library. std::invalid_argument is a call that the
 * wrapper refuses itself: a wrong number of elements, elements of another type, an index that does
 * not fit into 32 bits.
 */
#ifndef LOOM_HPP
#define LOOM_HPP

#if __cplusplus < 201703L
#error "loom.hpp is C++17"
#endif

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "loom.h"
#include "loom_chip_file.h"
#include "loom_file.h"
#include "loom_place.h"
#include "loom_planner.h"
#include "loom_program.h"
#include "loom_program_file.h"
#include "loom_run.h"
#include "loom_tflite.h"
#include "loom_version.h"

namespace loom {

/* A failure of the library: code() is its number, what() its line for a person. */
class error : public std::system_error {
public:
	error(int number, const loom_error &err)
		: std::system_error(number, std::generic_category()), err_(err) {}

	const char *what() const noexcept override
	{
		return err_.text[0] ? err_.text : std::system_error::what();
	}

	/* where a plan does not fit: SRAM per lane that is missing at least; else 0 */
	std::uint64_t short_bytes() const noexcept { return err_.short_bytes; }

private:
	loom_error err_;
};

/* Calls a function that returns 0 or -errno; the loom_error at the end is added if it takes one. */
template <class... Parameters, class... Arguments>
void call(int (*function)(Parameters...), Arguments &&...arguments)
{
	loom_error err = {};
	int ret;

	if constexpr (sizeof...(Parameters) == sizeof...(Arguments) + 1)
		ret = function(std::forward<Arguments>(arguments)..., &err);
	else
		ret = function(std::forward<Arguments>(arguments)...);
	if (ret < 0)
		throw error(-ret, err);
}

/* Elements that somebody else owns, one after the other: as std::span of C++20. */
template <class T> class view {
public:
	using value_type = std::remove_cv_t<T>;

	constexpr view() = default;
	constexpr view(T *data, std::size_t size) : data_(data), size_(size) {}
	template <std::size_t N> constexpr view(T (&array)[N]) : data_(array), size_(N) {}
	/* a vector, a std::array, a std::span, another view */
	template <class C, class = std::enable_if_t<std::is_convertible_v<
		std::remove_pointer_t<decltype(std::declval<C &>().data())> (*)[], T (*)[]>>>
	constexpr view(C &&container) : data_(container.data()), size_(container.size()) {}

	constexpr T *data() const { return data_; }
	constexpr std::size_t size() const { return size_; }
	constexpr std::size_t size_bytes() const { return size_ * sizeof(T); }
	constexpr bool empty() const { return !size_; }
	constexpr T *begin() const { return data_; }
	constexpr T *end() const { return data_ + size_; }
	constexpr T &operator[](std::size_t index) const { return data_[index]; }

private:
	T *data_ = nullptr;
	std::size_t size_ = 0;
};

/* The type of elements of a type of C++; float16 and the like have none. */
template <class T> constexpr std::uint32_t dtype_of()
{
	using U = std::remove_cv_t<T>;

	static_assert(std::is_arithmetic_v<U> && sizeof(U) <= 8 &&
		      (!std::is_floating_point_v<U> || sizeof(U) >= 4), "no type of elements");
	if (std::is_same_v<U, bool>)
		return DRM_LOOM_DTYPE_BOOL;
	if (std::is_floating_point_v<U>)
		return sizeof(U) == 4 ? DRM_LOOM_DTYPE_F32 : DRM_LOOM_DTYPE_F64;
	switch (sizeof(U)) {
	case 1:
		return std::is_signed_v<U> ? DRM_LOOM_DTYPE_I8 : DRM_LOOM_DTYPE_U8;
	case 2:
		return std::is_signed_v<U> ? DRM_LOOM_DTYPE_I16 : DRM_LOOM_DTYPE_U16;
	case 4:
		return std::is_signed_v<U> ? DRM_LOOM_DTYPE_I32 : DRM_LOOM_DTYPE_U32;
	default:
		return std::is_signed_v<U> ? DRM_LOOM_DTYPE_I64 : DRM_LOOM_DTYPE_U64;
	}
}

namespace detail {

template <class T> view<T> elements(void *data, std::size_t size_bytes, std::uint32_t dtype)
{
	if (dtype != dtype_of<T>())
		throw std::invalid_argument(std::string("elements are ") + loom_dtype_name(dtype));
	return { static_cast<T *>(data), size_bytes / sizeof(T) };
}

/* an index or a number as C has it, not its low bits */
inline std::uint32_t narrow(std::uint64_t number)
{
	if (number > UINT32_MAX)
		throw std::invalid_argument(std::to_string(number) + " does not fit into 32 bits");
	return static_cast<std::uint32_t>(number);
}

/* elements of whatever has them one after the other: a vector, an array, a span, a view, a list */
template <class C, class T = std::remove_cv_t<
	std::remove_pointer_t<decltype(std::data(std::declval<const C &>()))>>,
	class = std::enable_if_t<std::is_arithmetic_v<T>>>
view<const T> elements_of(const C &container)
{
	return { std::data(container), std::size(container) };
}

template <class C> using owner = std::shared_ptr<C>;

struct only_moved {
	only_moved() = default;
	only_moved(only_moved &&) = default;
	only_moved &operator=(only_moved &&) = default;
};

/* memory of others as loom_array, for calls that read it */
inline loom_array borrow(const char *name, const void *data, std::size_t size_bytes,
			 std::uint32_t dtype, view<const std::int64_t> dims)
{
	loom_array array = {};

	if (dims.size() > LOOM_GRAPH_RANK)
		throw std::invalid_argument("a tensor has at most " +
					    std::to_string(LOOM_GRAPH_RANK) + " dimensions, not " +
					    std::to_string(dims.size()));
	array.name = const_cast<char *>(name);
	array.dtype = dtype;
	array.rank = static_cast<std::uint32_t>(dims.size());
	for (std::size_t i = 0; i < dims.size(); i++)
		array.dims[i] = dims[i];
	array.data = const_cast<void *>(data);
	array.size_bytes = size_bytes;
	return array;
}

} // namespace detail

using shape = std::vector<std::int64_t>;

/* Elements that it owns: loom_array. */
class array : detail::only_moved {
public:
	array() = default;
	/* takes over an object of a function of C */
	explicit array(const loom_array &made) : array_(made) {}
	array(std::uint32_t dtype, view<const std::int64_t> dims)
	{
		call(loom_array_alloc, &array_, dtype, detail::narrow(dims.size()), dims.data());
	}
	array(std::uint32_t dtype, std::initializer_list<std::int64_t> dims)
		: array(dtype, detail::elements_of(dims)) {}
	array(array &&other) noexcept : array_(std::exchange(other.array_, {})) {}
	array &operator=(array &&other) noexcept
	{
		std::swap(array_, other.array_);
		return *this;
	}
	~array() { loom_array_clear(&array_); }

	/* a file of NumPy */
	static array load_npy(const std::string &path)
	{
		array made;

		call(loom_npy_load, path.c_str(), &made.array_);
		return made;
	}
	void save_npy(const std::string &path) const { call(loom_npy_save, path.c_str(), &array_); }
	/* numbers that are the same on every machine */
	void randomize(std::uint64_t seed) { loom_array_randomize(&array_, seed); }

	std::string_view name() const { return array_.name ? array_.name : ""; }
	std::uint32_t dtype() const { return array_.dtype; }
	view<const std::int64_t> dims() const { return { array_.dims, array_.rank }; }
	std::size_t size_bytes() const { return array_.size_bytes; }
	/* its elements; T must be their type */
	template <class T> view<T> as()
	{
		return detail::elements<T>(array_.data, array_.size_bytes, array_.dtype);
	}
	template <class T> view<const T> as() const
	{
		return detail::elements<const T>(array_.data, array_.size_bytes, array_.dtype);
	}
	const loom_array *c() const { return &array_; }
	loom_array *c() { return &array_; }

private:
	loom_array array_ = {};
};

/* The description of a chip. A value: it can be copied. */
class chip {
public:
	/* a file if it has a '/' or ends in ".yaml", else the name of one that is built in */
	explicit chip(const std::string &path_or_name = "soft")
	{
		call(loom_chip_load, path_or_name.c_str(), &chip_);
	}
	explicit chip(const drm_loom_chip &record) : chip_(record) {}
	static chip parse(std::string_view yaml, const std::string &name = "chip")
	{
		drm_loom_chip record;

		call(loom_chip_parse, yaml.data(), yaml.size(), name.c_str(), &record);
		return chip(record);
	}

	std::string_view name() const { return chip_.name; }
	const drm_loom_chip *c() const { return &chip_; }

private:
	drm_loom_chip chip_;
};

/* A network that is ready to be planned. */
class graph : detail::only_moved {
public:
	explicit graph(const std::string &path, const loom_graph_options &options = {})
	{
		loom_graph *made;

		call(loom_graph_import, path.c_str(), &options, &made);
		graph_ = { made, loom_graph_destroy };
	}
	static graph parse(view<const unsigned char> bytes, const std::string &name = "model",
			   const loom_graph_options &options = {})
	{
		loom_graph *made;

		call(loom_graph_import_bytes, bytes.data(), bytes.size(), name.c_str(),
		     &options, &made);
		return graph({ made, loom_graph_destroy });
	}

	std::vector<loom_tensor_info> inputs() const
	{
		return infos(loom_graph_num_inputs, loom_graph_input);
	}
	std::vector<loom_tensor_info> outputs() const
	{
		return infos(loom_graph_num_outputs, loom_graph_output);
	}
	loom_graph *c() const { return graph_.get(); }
	const detail::owner<loom_graph> &owner() const { return graph_; }

private:
	friend class graph_builder;

	explicit graph(detail::owner<loom_graph> made) : graph_(std::move(made)) {}
	template <class Count, class Get>
	std::vector<loom_tensor_info> infos(Count count, Get get) const
	{
		std::vector<loom_tensor_info> found(count(c()));

		for (std::size_t i = 0; i < found.size(); i++)
			call(get, c(), static_cast<std::uint32_t>(i), &found[i]);
		return found;
	}

	detail::owner<loom_graph> graph_;
};

/* An attribute of a node, see graph_builder::node(). */
class attribute {
public:
	attribute(const char *name, std::int64_t value) : name_(name), ints_{ value } {}
	attribute(const char *name, int value) : attribute(name, std::int64_t{ value }) {}
	attribute(const char *name, double value)
		: name_(name), type_(LOOM_ATTR_FLOAT), floats_{ static_cast<float>(value) } {}
	attribute(const char *name, const char *value)
		: name_(name), type_(LOOM_ATTR_STRING), string_(value) {}
	attribute(const char *name, std::vector<std::int64_t> values)
		: name_(name), type_(LOOM_ATTR_INTS), ints_(std::move(values)) {}
	attribute(const char *name, std::vector<float> values)
		: name_(name), type_(LOOM_ATTR_FLOATS), floats_(std::move(values)) {}

	/* lives as long as the attribute */
	loom_attr c() const
	{
		loom_attr attr = {};

		attr.name = name_.c_str();
		attr.type = type_;
		attr.count = type_ == LOOM_ATTR_STRING ? 1 : ints_.size() + floats_.size();
		attr.ints = ints_.data();
		attr.floats = floats_.data();
		attr.string = string_.c_str();
		return attr;
	}

private:
	std::string name_;
	loom_attr_type type_ = LOOM_ATTR_INT;
	std::vector<std::int64_t> ints_;
	std::vector<float> floats_;
	std::string string_;
};

/*
 * A graph that is built by calls. Operators are those of ONNX, and names tie them together. The
 * first error sticks, and finish() throws it.
 */
class graph_builder : detail::only_moved {
public:
	explicit graph_builder(const std::string &name, std::int64_t opset = 17)
	{
		loom_graph *made;

		if (opset < 0 || opset > INT32_MAX)
			throw std::invalid_argument("there is no opset " + std::to_string(opset));
		call(loom_graph_create, name.c_str(), static_cast<int>(opset), &made);
		graph_ = { made, loom_graph_destroy };
	}

	graph_builder &input(const char *name, std::uint32_t dtype, view<const std::int64_t> dims)
	{
		loom_array array = detail::borrow(name, nullptr, 0, dtype, dims);
		loom_tensor_info info = {};

		info.name = name;
		info.dtype = dtype;
		info.rank = array.rank;
		std::memcpy(info.dims, array.dims, sizeof(info.dims));
		loom_graph_add_input(graph_.get(), &info);
		return *this;
	}
	graph_builder &input(const char *name, std::uint32_t dtype,
			     std::initializer_list<std::int64_t> dims)
	{
		return input(name, dtype, detail::elements_of(dims));
	}
	/* values: a vector, an array or another container of elements */
	template <class C>
	graph_builder &constant(const char *name, view<const std::int64_t> dims, const C &values)
	{
		auto elements = detail::elements_of(values);
		loom_array array = detail::borrow(name, elements.data(), elements.size_bytes(),
			dtype_of<typename decltype(elements)::value_type>(), dims);
		std::size_t count = 1;

		for (std::int64_t dim : dims)
			if (dim < 0 || __builtin_mul_overflow(count, dim, &count))
				throw std::invalid_argument("no size of a constant");
		if (count != elements.size())
			throw std::invalid_argument(std::string(name) + " takes " +
						    std::to_string(count) + " elements, not " +
						    std::to_string(elements.size()));
		loom_graph_add_const(graph_.get(), &array);
		return *this;
	}
	template <class C>
	graph_builder &constant(const char *name, std::initializer_list<std::int64_t> dims,
				const C &values)
	{
		return constant(name, detail::elements_of(dims), values);
	}
	graph_builder &node(const char *op, const std::vector<const char *> &inputs,
			    const std::vector<const char *> &outputs,
			    const std::vector<attribute> &attributes = {})
	{
		std::vector<loom_attr> attrs;
		loom_node_desc desc = {};

		for (const attribute &attribute : attributes)
			attrs.push_back(attribute.c());
		desc.name = outputs.empty() ? nullptr : outputs[0];
		desc.op_type = op;
		desc.inputs = inputs.data();
		desc.num_inputs = detail::narrow(inputs.size());
		desc.outputs = outputs.data();
		desc.num_outputs = detail::narrow(outputs.size());
		desc.attrs = attrs.data();
		desc.num_attrs = detail::narrow(attrs.size());
		loom_graph_add_node(graph_.get(), &desc);
		return *this;
	}
	graph_builder &output(const char *name)
	{
		loom_graph_add_output(graph_.get(), name);
		return *this;
	}
	graph finish(const loom_graph_options &options = {})
	{
		call(loom_graph_finish, graph_.get(), &options);
		return graph(std::exchange(graph_, nullptr));
	}

private:
	detail::owner<loom_graph> graph_;
};

/* How to plan: struct loom_planner_options, of which the chip is given besides. */
struct options : loom_planner_options {
	options() : loom_planner_options() { grouping = "layergroup"; }

	/*
	 * Instead of &loom_planner_options.progress: it returns an enum loom_progress_answer. An
	 * exception stops planning, and the constructor of the program throws it.
	 */
	std::function<int(const loom_progress &)> on_progress;
};

/* A plan, and how to feed it. */
class program : detail::only_moved {
public:
	/* plans a graph */
	program(const graph &graph, const loom::chip &chip, const options &how = {})
		: chip_(chip), objective_(how.objective)
	{
		loom_planner_options given = how;
		loom_program *made;

		given.chip = chip_.c();
		watch watched{ how.on_progress, nullptr };
		if (how.on_progress) {
			given.progress = watch::step;
			given.progress_data = &watched;
		}
		try {
			call(loom_program_create, graph.c(), &given, &made);
		} catch (...) {
			if (watched.thrown)
				std::rethrow_exception(watched.thrown);
			throw;
		}
		/* the graph outlives it */
		program_ = { made, [graph = graph.owner()](const loom_program *last) {
			loom_program_destroy(const_cast<loom_program *>(last));
		} };
	}
	/* opens a file that was saved */
	explicit program(const std::string &path) : chip_(drm_loom_chip{})
	{
		loom_program_file *made;

		call(loom_program_load, path.c_str(), &made);
		file_ = { made, loom_program_unload };
		/* another name of the same: the file is closed with the last of both */
		program_ = { file_, loom_program_file_program(made) };
		chip_ = loom::chip(*loom_program_file_origin(made)->chip);
		objective_ = loom_program_file_origin(made)->objective;
	}

	/* number of programs of the file that it is of */
	std::uint32_t count() const { return file_ ? loom_program_file_count(file_.get()) : 1; }
	/* another one of them, from 0 */
	program at(std::uint32_t index) const
	{
		if (index >= count())
			throw std::out_of_range("there is no program " + std::to_string(index));
		return program(*this, index);
	}

	/* the bytes of a program file */
	std::vector<unsigned char> to_bytes() const
	{
		std::size_t size;
		auto bytes = write(size);
		auto first = static_cast<const unsigned char *>(bytes.get());

		return { first, first + size };
	}
	/* writes a program file, by the rules of loom_file_save() */
	void save(const std::string &path) const
	{
		std::size_t size;
		auto bytes = write(size);

		call(loom_file_save, path.c_str(), bytes.get(), size);
	}

	view<const loom_program_tensor> inputs() const { return { c()->inputs, c()->num_inputs }; }
	view<const loom_program_tensor> outputs() const { return { c()->outputs, c()->num_outputs }; }
	view<const loom_program_group> groups() const { return { c()->groups, c()->num_groups }; }
	const loom_program_stats &figures() const { return c()->stats; }
	/* the bytes of the plan, as the kernel takes them */
	view<const unsigned char> plan() const
	{
		return { static_cast<const unsigned char *>(c()->plan), c()->plan_bytes };
	}
	const loom::chip &chip() const { return chip_; }
	const loom_program *c() const { return program_.get(); }
	/* of a file; else null */
	const loom_program_file *file() const { return file_.get(); }
	const detail::owner<const loom_program> &owner() const { return program_; }

private:
	/* carries an exception past the C of the library */
	struct watch {
		const std::function<int(const loom_progress &)> &ask;
		std::exception_ptr thrown;

		static int step(void *data, const loom_progress *progress) noexcept
		{
			auto self = static_cast<watch *>(data);

			try {
				return self->ask(*progress);
			} catch (...) {
				self->thrown = std::current_exception();
				return LOOM_PROGRESS_STOP;
			}
		}
	};
	program(const program &other, std::uint32_t index)
		: chip_(*other.chip_.c()), objective_(other.objective_), file_(other.file_),
		  program_(other.program_)
	{
		if (file_)
			program_ = { file_, loom_program_file_at(file_.get(), index) };
	}
	std::unique_ptr<void, decltype(&std::free)> write(std::size_t &size) const
	{
		loom_program_origin origin = {};
		void *bytes;

		origin.chip = chip_.c();
		origin.objective = objective_;
		call(loom_program_write, c(), &origin, &bytes, &size);
		return { bytes, std::free };
	}

	loom::chip chip_;
	std::uint32_t objective_ = 0;
	detail::owner<loom_program_file> file_;
	detail::owner<const loom_program> program_;
};

/* Where programs run: "host", "auto", "device" or a node. */
class target : detail::only_moved {
public:
	explicit target(const std::string &name = "auto") { open(name, nullptr); }
	/* a chip for the host; a device has its own */
	target(const std::string &name, const loom::chip &chip)
	{
		/* the target of C keeps the address */
		auto kept = std::make_shared<const loom::chip>(chip);

		open(name, std::move(kept));
	}

	std::string_view name() const { return loom_target_name(c()); }
	loom::chip chip() const { return loom::chip(*loom_target_chip(c())); }
	loom_target *c() const { return target_.get(); }
	const detail::owner<loom_target> &owner() const { return target_; }

private:
	void open(const std::string &name, std::shared_ptr<const loom::chip> chip)
	{
		loom_target *made;

		call(loom_target_open, name.c_str(), chip ? chip->c() : nullptr, &made);
		target_ = { made, [chip](loom_target *last) { loom_target_close(last); } };
	}

	detail::owner<loom_target> target_;
};

/* A program that is loaded on a target; for one thread at a time. */
class session : detail::only_moved {
public:
	session(const program &program, const target &target)
	{
		loom_session *made;

		check_fits(program, target);
		call(loom_session_create, target.c(), program.c(), &made);
		keep(made, program, target.owner());
	}

	/* the weights of another process, from export_weights() there */
	session(const program &program, const target &target, view<const int> weights)
	{
		loom_session *made;

		check_fits(program, target);
		call(loom_session_create_shared, target.c(), program.c(), weights.data(),
		     detail::narrow(weights.size()), &made);
		keep(made, program, target.owner());
	}

	/*
	 * the weights of another session, of this program or of one of the same file; states: theirs
	 * are the same, too, and they take turns
	 */
	session(const program &program, const session &other, bool states = false)
	{
		loom_session *made;

		call(loom_session_create_beside, other.c(), program.c(),
		     states ? static_cast<std::uint32_t>(LOOM_BESIDE_STATES) : 0u, &made);
		keep(made, program, other.session_);
	}

	/* dma-bufs of the weights, which become constant, for other processes; to be closed */
	std::vector<int> export_weights()
	{
		std::vector<int> fds(DRM_LOOM_MAX_SLOTS);
		std::uint32_t count;

		call(loom_session_export_weights, c(), fds.data(), detail::narrow(fds.size()),
		     &count);
		fds.resize(count);
		return fds;
	}

	/* copies elements in, as many as the input has, and of its type */
	template <class T> void set_input(std::uint64_t index, view<const T> elements)
	{
		static const std::int64_t none = 0;
		view<const std::int64_t> dims(&none, 0);

		if (index < program_->num_inputs) {
			const loom_program_tensor &input = program_->inputs[index];

			dims = { input.dims, input.rank };
			if (input.dtype == dtype_of<T>() &&
			    input.size_bytes != elements.size_bytes())
				throw std::invalid_argument(std::string(input.name) + " takes " +
					std::to_string(input.size_bytes / sizeof(T)) +
					" elements, not " + std::to_string(elements.size()));
		}
		loom_array array = detail::borrow(nullptr, elements.data(), elements.size_bytes(),
						  dtype_of<T>(), dims);
		call(loom_session_set_input, c(), detail::narrow(index), &array);
	}
	/* a vector, a std::array, a std::span of C++20, an initializer_list */
	template <class C, class = decltype(detail::elements_of(std::declval<const C &>()))>
	void set_input(std::uint64_t index, const C &container)
	{
		set_input(index, detail::elements_of(container));
	}
	/* an array of C, elements in braces */
	template <class T, std::size_t N, class = std::enable_if_t<std::is_arithmetic_v<T>>>
	void set_input(std::uint64_t index, const T (&elements)[N])
	{
		set_input(index, view<const T>(elements, N));
	}
	void set_input(std::uint64_t index, const array &array)
	{
		call(loom_session_set_input, c(), detail::narrow(index), array.c());
	}

	void run() { call(loom_session_run, c(), nullptr, nullptr); }
	/* begins a run, which goes on by itself */
	void submit() { call(loom_session_submit, c()); }
	/* waits for its end; false: not yet */
	bool wait(std::chrono::nanoseconds timeout = std::chrono::nanoseconds::max())
	{
		auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(
			std::chrono::steady_clock::now().time_since_epoch());
		loom_error err = {};
		/* steady_clock is CLOCK_MONOTONIC */
		int ret = loom_session_wait(c(), timeout.count() < INT64_MAX - now.count() ?
					    (now + timeout).count() : INT64_MAX, &err);

		if (ret && ret != -ETIME)
			throw error(-ret, err);
		return !ret;
	}
	/* for poll(): readable when the run has ended. The caller's, to be closed */
	int fd()
	{
		int fd;

		call(loom_session_fd, c(), &fd);
		return fd;
	}

	array output(std::uint64_t index)
	{
		loom_array made;

		call(loom_session_get_output, c(), detail::narrow(index), &made);
		return array(made);
	}
	/* memory of an input and an output itself, without a copy; T must be its type */
	template <class T> view<T> input_view(std::uint64_t index)
	{
		void *data;

		call(loom_session_map_input, c(), detail::narrow(index), &data);
		return detail::elements<T>(data, program_->inputs[index].size_bytes,
					   program_->inputs[index].dtype);
	}
	template <class T> view<const T> output_view(std::uint64_t index)
	{
		void *data;

		call(loom_session_map_output, c(), detail::narrow(index), &data);
		return detail::elements<const T>(data, program_->outputs[index].size_bytes,
						 program_->outputs[index].dtype);
	}
	drm_loom_counters counters() const
	{
		drm_loom_counters counters;

		loom_session_counters(c(), &counters);
		return counters;
	}
	loom_session *c() const { return session_.get(); }

private:
	static void check_fits(const program &program, const target &target)
	{
		if (program.file())
			call(loom_program_file_fits, program.file(), loom_target_chip(target.c()));
	}

	/* other: the owner of what the session needs besides its program */
	template <class T> void keep(loom_session *made, const program &program, const T &other)
	{
		session_ = { made, [program = program.owner(), other](loom_session *last) {
			loom_session_destroy(last);
		} };
		program_ = program.c();
	}

	detail::owner<loom_session> session_;
	const loom_program *program_;
};

} // namespace loom

#endif /* LOOM_HPP */
