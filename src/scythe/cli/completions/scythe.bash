# bash: what may come next after `scythe`, asked of scythe itself
_scythe() {
    local line lines=()
    while IFS= read -r line; do
        lines+=("$line")
    done < <(_SCYTHE_COMPLETE=1 "${COMP_WORDS[0]/#\~/$HOME}" "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    COMPREPLY=()
    case ${lines[0]:-none} in
        files) compopt -o default 2>/dev/null ;;
        folders) compopt -o dirnames 2>/dev/null ;;
    esac
    for line in "${lines[@]:1}"; do
        COMPREPLY+=("${line%%$'\t'*}")
    done
}
complete -F _scythe scythe
